// SPDX-License-Identifier: GPL-3.0-or-later
// Hot-plug events. libudev is named in this file only.
#include "device/detail/unique_fd.h"
#include "device/device_list.h"

#include <array>
#include <cerrno>
#include <filesystem>
#include <libudev.h>
#include <linux/netlink.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <thread>

namespace millpond::device {

namespace {

using detail::UniqueFd;
using Observer = std::function<void(const DeviceEvent&)>;

constexpr std::size_t kUeventBytes = 8192; ///< the kernel writes no longer ones
constexpr unsigned kKernelGroup = 1;

std::optional<DeviceEvent::Action> actionFromText(std::string_view text)
{
    if (text == "add") {
        return DeviceEvent::Action::Added;
    }
    if (text == "remove") {
        return DeviceEvent::Action::Removed;
    }
    if (text == "change" || text == "move" || text == "online" || text == "offline") {
        return DeviceEvent::Action::Changed;
    }
    return std::nullopt;
}

/// A socket that becomes readable, a thread that reads it.
class SocketMonitor : public DeviceMonitor
{
public:
    explicit SocketMonitor(Observer observer)
        : m_observer(std::move(observer))
    {
    }

    SocketMonitor(const SocketMonitor&) = delete;
    SocketMonitor& operator=(const SocketMonitor&) = delete;

protected:
    [[nodiscard]] Status start(int socket)
    {
        m_stop = UniqueFd(eventfd(0, EFD_CLOEXEC));
        if (!m_stop.isOpen()) {
            return fail(systemError(errno, "eventfd", "device monitor"));
        }
        m_thread = std::thread([this, socket] { run(socket); });
        return {};
    }

    /// To be called by the destructors of derived classes: the thread calls receive().
    void stop()
    {
        if (m_thread.joinable()) {
            eventfd_write(m_stop.get(), 1);
            m_thread.join();
        }
    }

    /// Reads one event; nothing when it is none of ours.
    [[nodiscard]] virtual std::optional<DeviceEvent> receive() = 0;

private:
    void run(int socket)
    {
        pthread_setname_np(pthread_self(), "mp-hotplug");
        for (;;) {
            std::array<pollfd, 2> waited{{{.fd = socket, .events = POLLIN, .revents = 0},
                                          {.fd = m_stop.get(), .events = POLLIN, .revents = 0}}};
            if (poll(waited.data(), waited.size(), -1) < 0 && errno != EINTR) {
                return;
            }
            if (waited[1].revents != 0) {
                return;
            }
            if (waited[0].revents == 0) {
                continue;
            }
            if (const std::optional<DeviceEvent> event = receive()) {
                m_observer(*event);
            }
        }
    }

    Observer m_observer;
    UniqueFd m_stop;
    std::thread m_thread;
};

struct FreeUdev
{
    void operator()(udev* context) const { udev_unref(context); }

    void operator()(udev_monitor* monitor) const { udev_monitor_unref(monitor); }

    void operator()(udev_device* device) const { udev_device_unref(device); }
};

class UdevMonitor final : public SocketMonitor
{
public:
    using SocketMonitor::SocketMonitor;

    ~UdevMonitor() override { stop(); }

    [[nodiscard]] Status open()
    {
        m_udev.reset(udev_new());
        m_monitor.reset(udev_monitor_new_from_netlink(m_udev.get(), "udev"));
        if (!m_monitor ||
            udev_monitor_filter_add_match_subsystem_devtype(m_monitor.get(), "block", nullptr) <
                0 ||
            udev_monitor_enable_receiving(m_monitor.get()) < 0) {
            return fail(ErrorCode::System, "cannot listen to udev");
        }
        return start(udev_monitor_get_fd(m_monitor.get()));
    }

    [[nodiscard]] Source source() const override { return Source::Udev; }

protected:
    [[nodiscard]] std::optional<DeviceEvent> receive() override
    {
        const std::unique_ptr<udev_device, FreeUdev> device(
            udev_monitor_receive_device(m_monitor.get()));
        if (!device) {
            return std::nullopt;
        }
        const char* action = udev_device_get_action(device.get());
        const char* name = udev_device_get_sysname(device.get());
        const char* path = udev_device_get_devnode(device.get());
        const auto known = action != nullptr ? actionFromText(action) : std::nullopt;
        if (!known || name == nullptr || path == nullptr) {
            return std::nullopt;
        }
        return DeviceEvent{.action = *known, .name = name, .path = path};
    }

private:
    std::unique_ptr<udev, FreeUdev> m_udev;
    std::unique_ptr<udev_monitor, FreeUdev> m_monitor;
};

class KernelMonitor final : public SocketMonitor
{
public:
    using SocketMonitor::SocketMonitor;

    ~KernelMonitor() override { stop(); }

    [[nodiscard]] Status open()
    {
        m_socket = UniqueFd(
            socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT));
        sockaddr_nl address = {};
        address.nl_family = AF_NETLINK;
        address.nl_groups = kKernelGroup;
        if (!m_socket.isOpen() ||
            bind(m_socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
            return fail(systemError(errno, "netlink socket", "kernel uevents"));
        }
        return start(m_socket.get());
    }

    [[nodiscard]] Source source() const override { return Source::Kernel; }

protected:
    [[nodiscard]] std::optional<DeviceEvent> receive() override
    {
        std::array<std::byte, kUeventBytes> buffer;
        sockaddr_nl sender = {};
        socklen_t size = sizeof(sender);
        const ssize_t count = recvfrom(m_socket.get(),
                                       buffer.data(),
                                       buffer.size(),
                                       0,
                                       reinterpret_cast<sockaddr*>(&sender),
                                       &size);
        // Port 0 is the kernel; any other process could claim anything.
        if (count <= 0 || sender.nl_pid != 0) {
            return std::nullopt;
        }
        return decodeUevent(Bytes(buffer).first(static_cast<std::size_t>(count)));
    }

private:
    UniqueFd m_socket;
};

/// NUL-terminated texts after the "action@path" header.
std::string_view fieldOf(Bytes datagram, std::string_view name)
{
    std::string_view rest(reinterpret_cast<const char*>(datagram.data()), datagram.size());
    while (!rest.empty()) {
        const std::string_view field = rest.substr(0, rest.find('\0'));
        if (field.starts_with(name) && field.size() > name.size() && field[name.size()] == '=') {
            return field.substr(name.size() + 1);
        }
        rest.remove_prefix(std::min(field.size() + 1, rest.size()));
    }
    return {};
}

} // namespace

std::optional<DeviceEvent> decodeUevent(Bytes datagram)
{
    const auto action = actionFromText(fieldOf(datagram, "ACTION"));
    const std::string_view name = fieldOf(datagram, "DEVNAME");
    if (!action || name.empty() || fieldOf(datagram, "SUBSYSTEM") != "block") {
        return std::nullopt;
    }
    return DeviceEvent{
        .action = *action, .name = std::string(name), .path = "/dev/" + std::string(name)};
}

Result<std::unique_ptr<DeviceMonitor>>
DeviceMonitor::create(std::function<void(const DeviceEvent&)> observer)
{
    std::error_code error;
    if (std::filesystem::exists("/run/udev/control", error)) {
        auto monitor = std::make_unique<UdevMonitor>(observer);
        if (monitor->open()) {
            return std::unique_ptr<DeviceMonitor>(std::move(monitor));
        }
    }
    auto monitor = std::make_unique<KernelMonitor>(std::move(observer));
    MP_TRY(monitor->open());
    return std::unique_ptr<DeviceMonitor>(std::move(monitor));
}

} // namespace millpond::device
