// SPDX-License-Identifier: GPL-3.0-or-later
// A stand-in for polkitd: `fake_polkit LOG ALLOWED-ACTION...` owns org.freedesktop.PolicyKit1 on
// the system bus, says yes to the actions named and no to others, and writes each question to LOG.
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

namespace {
struct Answers
{
    const char* log;
    int count;
    char** allowed;
    int lock = -1; ///< our end of the inhibitor lock last given
};

void note(const Answers& answers, const char* text)
{
    if (FILE* log = std::fopen(answers.log, "a")) {
        std::fprintf(log, "%s\n", text);
        std::fclose(log);
    }
}

int onInhibit(sd_bus_message* message, void* userdata, sd_bus_error*)
{
    auto* answers = static_cast<Answers*>(userdata);
    const char* what = nullptr;
    const char* who = nullptr;
    const char* why = nullptr;
    const char* mode = nullptr;
    int ends[2] = {-1, -1};
    if (sd_bus_message_read(message, "ssss", &what, &who, &why, &mode) < 0 ||
        ::pipe2(ends, O_CLOEXEC) != 0) {
        return sd_bus_reply_method_errorf(message, SD_BUS_ERROR_INVALID_ARGS, "what?");
    }
    char text[256];
    std::snprintf(text, sizeof(text), "inhibit %s %s %s", what, who, mode);
    note(*answers, text);
    answers->lock = ends[0];
    const int sent = sd_bus_reply_method_return(message, "h", ends[1]);
    ::close(ends[1]);
    return sent;
}

void watchLock(Answers& answers)
{
    pollfd lock = {answers.lock, 0, 0};
    if (answers.lock >= 0 && ::poll(&lock, 1, 0) > 0) {
        note(answers, "lock released");
        ::close(answers.lock);
        answers.lock = -1;
    }
}

int onCheck(sd_bus_message* message, void* userdata, sd_bus_error*)
{
    const auto* answers = static_cast<const Answers*>(userdata);
    const char* kind = nullptr;
    const char* key = nullptr;
    const char* sender = nullptr;
    const char* action = nullptr;
    unsigned flags = 0;
    if (sd_bus_message_enter_container(message, 'r', "sa{sv}") < 0 ||
        sd_bus_message_read(message, "s", &kind) < 0 ||
        sd_bus_message_read(message, "a{sv}", 1, &key, "s", &sender) < 0 ||
        sd_bus_message_exit_container(message) < 0 ||
        sd_bus_message_read(message, "s", &action) < 0 ||
        sd_bus_message_skip(message, "a{ss}") < 0 ||
        sd_bus_message_read(message, "u", &flags) < 0) {
        return sd_bus_reply_method_errorf(message, SD_BUS_ERROR_INVALID_ARGS, "what?");
    }
    bool yes = false;
    for (int i = 0; i < answers->count; ++i) {
        yes = yes || std::strcmp(answers->allowed[i], action) == 0;
    }
    if (FILE* log = std::fopen(answers->log, "a")) {
        std::fprintf(log, "%s %s %s %u %s\n", kind, key, action, flags, yes ? "yes" : "no");
        std::fclose(log);
    }
    return sd_bus_reply_method_return(message, "(bba{ss})", yes ? 1 : 0, 0, 0);
}

const sd_bus_vtable kAuthority[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD(
        "CheckAuthorization", "(sa{sv})sa{ss}us", "(bba{ss})", onCheck, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

const sd_bus_vtable kLogin[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("Inhibit", "ssss", "h", onInhibit, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};
} // namespace

int main(int argc, char** argv)
{
    Answers answers{argv[1], argc - 2, argv + 2, -1};
    sd_bus* bus = nullptr;
    if (argc < 2 || sd_bus_open_system(&bus) < 0 ||
        sd_bus_add_object_vtable(bus,
                                 nullptr,
                                 "/org/freedesktop/PolicyKit1/Authority",
                                 "org.freedesktop.PolicyKit1.Authority",
                                 kAuthority,
                                 &answers) < 0 ||
        sd_bus_add_object_vtable(bus,
                                 nullptr,
                                 "/org/freedesktop/login1",
                                 "org.freedesktop.login1.Manager",
                                 kLogin,
                                 &answers) < 0 ||
        sd_bus_request_name(bus, "org.freedesktop.login1", 0) < 0 ||
        sd_bus_request_name(bus, "org.freedesktop.PolicyKit1", 0) < 0) {
        return 1;
    }
    std::puts("ready");
    std::fflush(stdout);
    for (;;) {
        const int done = sd_bus_process(bus, nullptr);
        if (done < 0 || (done == 0 && sd_bus_wait(bus, 100'000) < 0)) {
            return 0;
        }
        watchLock(answers);
    }
}
