# SPDX-License-Identifier: Apache-2.0
"""What the shared object that is shipped exports, needs and calls."""

import subprocess
import tempfile
import unittest
from pathlib import Path

import scratch
import symbols

NEEDED = {"libc.so.6", "libm.so.6", "libjson-c.so.5", "libyaml-0.so.2"}
# aarch64 takes its stack guard from the loader
LOADER = {"ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}

MEMORY = set("malloc calloc realloc free memchr memcmp memcpy memmove memset".split())
TEXTS = set("strchr strcmp strcspn strlen strncmp strpbrk strrchr strspn strstr".split())
NUMBERS = set("sqrt floor ceil trunc fabs".split())
# snprintf and strtod_l: never with floating point or in a locale of the process (libjoulie/base/number*.c)
FORMATS = set("snprintf vsnprintf strtod_l newlocale freelocale".split())
# One file makes them all, below a root descriptor (libjoulie/host/os_linux.c).
SYSTEM = set(
    "__errno_location strerrordesc_np close flock fstat fstatat fsync ftruncate getdents64 geteuid getpid mkdirat openat "
    "pread pwrite readlinkat renameat unlinkat write poll recvmsg send".split()  # the last three: client_socket.c
)
COMPILER = {"__stack_chk_fail", "__stack_chk_guard", "__assert_fail"} | {
    f"__{name}_chk" for name in "memcpy memmove memset snprintf vsnprintf pread".split()
}
ALLOWED = MEMORY | TEXTS | NUMBERS | FORMATS | SYSTEM | COMPILER
# Never, whoever edits the list above: it prints, ends the process, reads the clock, the environment or the locale,
# keeps state of the process, starts something.
NEVER = set(
    "printf fprintf vprintf vfprintf dprintf puts fputs fputc putchar putc fwrite fflush perror syslog vsyslog "
    "stdout stderr stdin fopen fdopen popen exit _exit _Exit quick_exit abort atexit raise kill getenv secure_getenv "
    "environ __environ setenv putenv unsetenv setlocale uselocale localeconv nl_langinfo time clock clock_gettime "
    "gettimeofday timespec_get localtime localtime_r gmtime gmtime_r mktime strftime nanosleep usleep sleep rand "
    "random srand getrandom arc4random signal sigaction sigprocmask fork vfork execve execvp posix_spawn system "
    "pthread_create thrd_create dlopen dlsym socket connect getaddrinfo gethostname getuid chdir umask "
    "strerror strtok qsort".split()
)


def of_libc(library):
    """Imports without those of json-c and libyaml."""
    others = ("json_", "lh_", "yaml_")
    return {name for name in symbols.imported(library) if not name.startswith(others)}


class Library(unittest.TestCase):
    def test_it_needs_libc_libm_json_c_and_libyaml(self):
        self.assertEqual(symbols.needed(scratch.LIBRARY) - LOADER, NEEDED)

    def test_every_symbol_has_the_version_of_its_release(self):
        found = symbols.exported(scratch.LIBRARY)
        self.assertEqual(found, set(symbols.in_map(scratch.MAP)))
        self.assertEqual(symbols.versions(found), ["JOULIE_0.3"])

    def test_it_calls_only_what_is_listed(self):
        self.assertEqual(of_libc(scratch.LIBRARY) - ALLOWED, set())

    def test_the_list_allows_nothing_that_is_forbidden(self):
        self.assertEqual(ALLOWED & NEVER, set())

    def test_its_name_is_that_of_this_abi(self):
        text = symbols.output("readelf", "--dynamic", "--wide", scratch.LIBRARY)
        self.assertIn("Library soname: [libjoulie.so.1]", text)
        self.assertNotIn("(TEXTREL)", text)
        self.assertNotIn("(RPATH)", text)
        self.assertNotIn("(RUNPATH)", text)


class Breaks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = Path(folder.name)

    def build(self, text, *options):
        source, library = self.here / "x.c", self.here / "x.so"
        source.write_text(text)
        command = ["gcc", "-shared", "-fPIC", "-o", library, source, *options]
        subprocess.run(command, check=True)
        return library

    def test_another_library_is_seen(self):
        library = self.build(
            "const char *zlibVersion(void);\nconst char *f(void);\n"
            "const char *f(void)\n{\n    return zlibVersion();\n}\n",
            "-l:libz.so.1",
        )
        self.assertEqual(symbols.needed(library) - NEEDED, {"libz.so.1"})

    def test_a_function_that_prints_or_reads_the_clock_is_seen(self):
        library = self.build(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\nlong f(void);\n"
            'long f(void)\n{\n    puts(getenv("HOME"));\n    return (long)time(NULL);\n}\n'
        )
        self.assertEqual(of_libc(library) - ALLOWED, {"puts", "getenv", "time"})
        self.assertEqual(of_libc(library) & NEVER, {"puts", "getenv", "time"})


if __name__ == "__main__":
    unittest.main()
