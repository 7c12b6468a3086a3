#!/usr/bin/env bash
# Shows that statements.sh can fail: a tree whose tests name every statement passes, and one that lacks one does not.
set -euo pipefail
statements=$(cd "$(dirname "$0")" && pwd)/statements.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/tests/{runtime,e2e/node_modules}

fail() {
  echo "FAILED: $*"
  exit 1
}
plant() { printf '%s\n' "${@:2}" >"$tree/tests/$1"; }
expect_missing() {  # the numbers
  local said
  if said=$("$statements" "$tree"); then fail "nothing was missing where $* are"; fi
  [[ $said == "$(printf 'statement %s has no test\n' "$@")" ]] || fail "said instead of $*: $said"
}

plant runtime/a_test.cpp 'TEST_CASE("statement 1-60: a range", "[a]") {}' 'TEST_CASE(' '    "statement 61, 62-100: a list, below", "[a]") {}'
plant e2e/b.test.mjs "test('statement 101-180: single', () => {});" 'test(`statement 181: ${back}`, () => {});' "  it('C7, statement 182-189: inner', f);"
"$statements" "$tree" || fail "a tree with every statement is refused"
list=$("$statements" --list "$tree")
grep -q '^62: tests/runtime/a_test.cpp$' <<<"$list" || fail "62 is not listed"

plant runtime/a_test.cpp 'TEST_CASE("statement 2-59: a range", "[a]") {}' 'TEST_CASE("statement 61-100: a range", "[a]") {}'
expect_missing 1 60
# What is no name of a test does not count.
plant runtime/c_test.cpp '// TEST_CASE("statement 1: switched off")' 'CHECK("statement 1: a text");' 'const char* a = "statement 60: another";'
plant e2e/c.test.mjs '// statement 1, 60: a comment' 'submit("statement 1: not a test");' "test('60: without the word', f);" "test('statement 1', 60);"
expect_missing 60
plant e2e/node_modules/d.test.mjs "test('statement 60: of others', f);"
expect_missing 60
echo "every missing statement was found"
