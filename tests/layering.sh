#!/usr/bin/env bash
# Checks the direction of the #includes below ROOT: protocol, config <- runtime <- adapters <- server, that heavy third
# party headers stay in .cpp files, and that a .cpp includes its own header first, which shows that the header stands alone.
# Debian keeps all Boost headers in /usr/include, so the build cannot tell.
# Usage: layering.sh [ROOT]. Prints one line a violation; exit code 1 if there is any.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

folders=()
for folder in protocol config runtime adapters server bench; do
  [[ -d $folder ]] && folders+=("$folder")
done

# Lines of "file:number:#include ..." in, violations out.
check() {
  awk '
    BEGIN {
      project["protocol"] = "protocol"
      project["config"]   = "config"
      project["runtime"]  = "runtime|protocol|config"
      project["adapters"] = "adapters|runtime|protocol|config"
      project["server"]   = "server|runtime|protocol|config"
      project["bench"]    = "bench|protocol"

      posix = "(sys|netinet|arpa)/|(unistd|fcntl|signal|pthread|poll|dirent|sched)[.]h$"
      third["protocol"] = "simdjson[./]|boost/(json|system)[./]|[a-z]*intrin[.]h$"
      third["config"]   = "(yaml-cpp|CLI)/"
      third["runtime"]  = "boost/system[./]"
      third["adapters"] = "boost/(json|system)[./]|(pocketsphinx|sphinxbase|flite|webrtc|speex)|" posix
      third["server"]   = "boost/|spdlog/|fmt/|sodium[./]|" posix "|linux/(sockios|tcp)[.]h$|malloc[.]h$"
      third["bench"]    = "boost/|CLI/|" posix
      only_in_cpp = "^(boost/beast|boost/json/src[.]hpp|simdjson|yaml-cpp/|CLI/|pocketsphinx|sphinxbase|flite|webrtc/)"
    }
    function violation(why) { printf "%s: %s may not include %s\n", $1 ":" $2, why, name; bad = 1 }
    {
      file = $1
      folder = file; sub("/.*", "", folder)
      match($0, /[<"][^>"]+[>"]/)
      quoted = substr($0, RSTART, 1) == "\""
      name = substr($0, RSTART + 1, RLENGTH - 2)

      if (file ~ /[.]hpp$/ && name ~ only_in_cpp) violation("a header")
      if (quoted) {
        allowed = project[folder]
        if (file == "server/main.cpp") allowed = allowed "|adapters"
        if (name ~ "/" && name !~ "^(" allowed ")/") violation(folder)
      } else if (name ~ "[/.]") {  # a name without either is the standard library
        allowed = third[folder]
        if (file ~ "^adapters/http/") allowed = allowed "|boost/(asio|beast)[./]"
        if (name !~ "^(" allowed ")") violation(folder)
      }
    }
    END { exit bad }' FS=:
}

bad=0
while read -r header; do
  source=${header%.hpp}.cpp
  [[ -f $source ]] || continue
  first=$(grep -m1 -E '^[[:space:]]*#[[:space:]]*include' "$source" || true)
  [[ $first == "#include \"$header\"" ]] || { echo "$source: its first #include is not $header" && bad=1; }
done < <(find "${folders[@]}" -name '*.hpp' | sort)

find "${folders[@]}" -name '*.[ch]pp' -not -path '*/node_modules/*' -print0 | sort -z |
  xargs -0 --no-run-if-empty grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]' | check || bad=1
exit "$bad"
