# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by ./test: adds up what Qt Test and ctest report, and lists every failure and every skip.
# Qt Test prints skips as "SKIP   : Class::case(row) reason"; ctest alone would call such a test
# passed, so its complete log is read.

results_begin() {
    results_folder=$1
    : >"$results_folder/failures.txt"
    : >"$results_folder/skips.txt"
    : >"$results_folder/counts.txt"
}

# record_failure TEXT: one failure that no test reports (a build, something left behind).
record_failure() {
    echo "FAILED: $1"
    echo "$1" >>"$results_folder/failures.txt"
    echo "0 1 0" >>"$results_folder/counts.txt"
}

# record_tests STAGE LOG: reads ctest's LastTest.log. Per test: the totals of Qt Test where it prints
# them, else one passed or failed. A test that ctest calls failed although its totals show none
# (crash at exit, timeout, sanitizer) is one failure more.
record_tests() {
    [ -e "$2" ] || return 0
    awk -v stage="$1" -v failures="$results_folder/failures.txt" -v skips="$results_folder/skips.txt" '
        function close_test() {
            if (name == "") return
            if (!totals) { passed += verdict == "Passed"; if (verdict != "Passed") { failed++; print stage ": " name ": " verdict >>failures } }
            else if (verdict != "Passed" && !test_failed) { failed++; print stage ": " name ": " verdict >>failures }
            name = ""
        }
        /^[0-9]+\/[0-9]+ Testing: / { close_test(); name = $3; totals = 0; test_failed = 0; verdict = "unknown" }
        /^Totals: [0-9]+ passed, / { totals = 1; passed += $2; failed += $4; test_failed += $4; skipped += $6 }
        /^FAIL!  : / { print stage ": " name ": " substr($0, 10) >>failures }
        /^SKIP   : / { print stage ": " name ": " substr($0, 10) >>skips }
        /^Test (Passed|Failed|Timeout)/ { verdict = $2; sub(/\.$/, "", verdict) }
        /^Test time = / { next }
        /^<end of output>/ { next }
        END { close_test(); print passed + 0, failed + 0, skipped + 0 }
    ' "$2" >>"$results_folder/counts.txt"
}

# results_end: the summary; its last line stands alone. Returns 1 when anything failed.
results_end() {
    if [ -s "$results_folder/skips.txt" ]; then
        echo "== skipped"
        cat "$results_folder/skips.txt"
    fi
    if [ -s "$results_folder/failures.txt" ]; then
        echo "== failed"
        cat "$results_folder/failures.txt"
    fi
    awk '{ passed += $1; failed += $2; skipped += $3 }
        END {
            line = (passed + 0) " passed, " (failed + 0) " failed"
            if (skipped > 0) line = line ", " skipped " skipped"
            print line
            exit failed > 0
        }' "$results_folder/counts.txt"
}
