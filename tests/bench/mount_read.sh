#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Reads a file through a mount and the pool's images with dd, taking turns, caches dropped each time,
# and prints the ratio of the medians: reading through the mount against the disk itself.
#   mount_read.sh MOUNT_HOST MODE IMAGE_FOLDER POOL FILE [ROUNDS]
# MODE is foreign (root) or private; FILE is the file's path below the pool's root dataset. With
# several images the disk's speed is that of the first one. Root only, for the caches. Also: stat of
# all names below the mount a second time, and the memory the server took.
set -eu
host=$1 mode=$2 images=$3 pool=$4 file=$5 rounds=${6:-5}
work=$(mktemp -d)
mkdir "$work/mounts"
mkfifo "$work/commands"
"$host" "$mode" "$work/mounts" "$images" "$pool" <"$work/commands" >"$work/answers" &
server=$!
exec 9>"$work/commands"
finish() {
    exec 9>&-
    wait "$server" || true
    rm -rf "$work"
}
trap finish EXIT
echo mount >&9
target=$work/mounts/$pool/$file
tries=0
while [ ! -e "$target" ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || { cat "$work/answers"; exit 1; }
    sleep 0.1
done
size=$(stat -c %s "$target")
image=$(find "$images" -name '*.img' | sort | head -n 1)
# The image is read as far as the file is long, from its middle: where data is.
seconds() {
    sync
    echo 3 >/proc/sys/vm/drop_caches
    start=$(date +%s%N)
    dd if="$1" of=/dev/null bs=1M count=$((size >> 20)) status=none
    end=$(date +%s%N)
    echo $((end - start))
}
# The engine keeps a block cache of its own: the file has to be larger than that by far.
round=0
while [ "$round" -lt "$rounds" ]; do
    seconds "$image" >>"$work/disk"
    seconds "$target" >>"$work/mount"
    round=$((round + 1))
done
median() { sort -n "$1" | sed -n "$(((rounds + 1) / 2))p"; }
disk=$(median "$work/disk")
mount=$(median "$work/mount")
awk -v size="$size" -v disk="$disk" -v mount="$mount" 'BEGIN {
    printf "disk %.0f MB/s, mount %.0f MB/s, ratio %.2f\n", size / disk * 1e3, size / mount * 1e3, disk / mount }'
find "$work/mounts" >/dev/null
start=$(date +%s%N)
names=$(find "$work/mounts" -printf '%s\n' | wc -l)
end=$(date +%s%N)
awk -v names="$names" -v time="$((end - start))" 'BEGIN {
    printf "stat a second time: %d names, %.2f us each\n", names, time / names / 1e3 }'
grep -E '^VmHWM' "/proc/$server/status"
