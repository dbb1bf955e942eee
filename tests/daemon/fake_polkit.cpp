// SPDX-License-Identifier: GPL-3.0-or-later
// A stand-in for polkitd: `fake_polkit LOG ALLOWED-ACTION...` owns org.freedesktop.PolicyKit1 on
// the system bus, says yes to the actions named and no to others, and writes each question to LOG.
#include <cstdio>
#include <cstring>
#include <systemd/sd-bus.h>

namespace {
struct Answers
{
    const char* log;
    int count;
    char** allowed;
};

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
} // namespace

int main(int argc, char** argv)
{
    Answers answers{argv[1], argc - 2, argv + 2};
    sd_bus* bus = nullptr;
    if (argc < 2 || sd_bus_open_system(&bus) < 0 ||
        sd_bus_add_object_vtable(bus,
                                 nullptr,
                                 "/org/freedesktop/PolicyKit1/Authority",
                                 "org.freedesktop.PolicyKit1.Authority",
                                 kAuthority,
                                 &answers) < 0 ||
        sd_bus_request_name(bus, "org.freedesktop.PolicyKit1", 0) < 0) {
        return 1;
    }
    std::puts("ready");
    std::fflush(stdout);
    for (;;) {
        const int done = sd_bus_process(bus, nullptr);
        if (done < 0 || (done == 0 && sd_bus_wait(bus, UINT64_MAX) < 0)) {
            return 0;
        }
    }
}
