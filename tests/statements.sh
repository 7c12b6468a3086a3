#!/usr/bin/env bash
# Every numbered statement of the duplex dialect has a test that names it: prints those of 1..189 that no test name below
# ROOT/tests has, and ends with 1 if there are any. A name counts where a test is made of it, TEST_CASE("..."), test('...')
# or it('...'), and has the word with its number, list or range: `statement 7: `, `statement 77, 78: `, `statement 1-3: `.
# Usage: statements.sh [--list] [ROOT]; --list prints every number with the files that have it instead.
set -euo pipefail
last=189
list=false
if [[ ${1:-} == --list ]]; then
  list=true
  shift
fi
cd "${1:-$(dirname "$0")/..}"

# "file<TAB>77, 78" for every name with the word in it. A name may stand on the line below its TEST_CASE(.
names() {
  find tests \( -name '*.cpp' -o -name '*.mjs' \) -not -path '*/node_modules/*' -print0 | sort -z | while IFS= read -r -d '' file; do
    sed 's,^[[:space:]]*//.*,,' "$file" | tr '\n' ' ' |
      { grep -oE "(TEST_CASE(_METHOD)?|\b(test|it))\([[:space:]]*(\"[^\"]*|'[^']*|\`[^\`]*)" || true; } |
      { grep -oE '\bstatements? [0-9]+((-|, ?)[0-9]+)*\b' || true; } | sed "s,^statements\? ,$file\t,"
  done
}

names | awk -F '\t' -v last=$last -v list=$list '
  {
    count = split($2, parts, /, */)
    for (i = 1; i <= count; i++) {
      ends = split(parts[i], range, "-")
      for (n = range[1] + 0; n <= range[ends] + 0; n++)
        if (index(files[n] " ", " " $1 " ") == 0) files[n] = files[n] " " $1
    }
  }
  END {
    for (n = 1; n <= last; n++) {
      if (list == "true") print n ":" files[n]
      if (n in files) continue
      missing++
      if (list != "true") print "statement " n " has no test"
    }
    exit list != "true" && missing > 0
  }'
