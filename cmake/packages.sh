# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by ./run and ./test: the Debian packages they need, and how they get them.
# MillpondDependencies.cmake names which folder uses which library.

packages_build=(
    cmake g++ mold ninja-build pkg-config
    libblkid-dev libfmt-dev libfuse3-dev libglib2.0-dev libisal-dev liblz4-dev libssl-dev libsystemd-dev
    libudev-dev liburing-dev libzstd-dev zlib1g-dev
    qt6-base-dev qt6-svg-dev qt6-l10n-tools qt6-tools-dev qt6-tools-dev-tools libgl-dev
)
packages_run=(dbus-daemon fuse3 qt6-wayland zstd)
packages_test=(
    clang-19 libclang-rt-19-dev
    acl attr dbus-daemon e2fsprogs fuse3 mount procps rsync util-linux xauth xvfb zsh zstd
)

# install_packages NAME...: installs what is missing, after saying what and with which command.
install_packages() {
    local missing=() package
    for package in "$@"; do
        if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
            missing+=("$package")
        fi
    done
    if [ ${#missing[@]} -eq 0 ]; then
        return 0
    fi
    if ! command -v apt-get >/dev/null; then
        echo "These packages (Debian's names) are needed and apt is not here to install them: ${missing[*]}" >&2
        return 1
    fi
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        as_root=(sudo)
    fi
    echo "Installing packages: ${missing[*]}"
    echo "    ${as_root[*]:+sudo }apt-get install --no-install-recommends ${missing[*]}"
    if [ ${#as_root[@]} -ne 0 ] && ! command -v sudo >/dev/null; then
        echo "There is no sudo here: run the line above as root, then start again." >&2
        return 1
    fi
    # Lists may be missing (fresh container) or older than what the mirror still serves.
    "${as_root[@]}" apt-get -qq update
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends "${missing[@]}" \
        >/dev/null
}
