#!/usr/bin/env bash
# Builds the image without a Docker engine (debootstrap + buildah in a chroot), runs it with a read-only root as the
# image's user, talks to it, and prints its size. Needs root. Stays off the host's image store: everything is in one
# scratch folder that is removed at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
suite=bookworm
work=$(mktemp -d /tmp/parley-image.XXXXXX)
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs
server=""
container=""
build=(buildah --root "$work/store" --runroot "$work/run")

finish() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  [ -z "$container" ] || "${build[@]}" umount "$container" >/dev/null 2>&1 || true
  umount -R "$work/root" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

for tool in buildah debootstrap; do
  command -v "$tool" >/dev/null || DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends buildah debootstrap
done

echo "== base image"
debootstrap --variant=minbase --include=gpgv,ca-certificates "$suite" "$work/rootfs" >"$work/debootstrap.log"
base=$("${build[@]}" from scratch)
"${build[@]}" add -q "$base" "$work/rootfs" / >/dev/null
"${build[@]}" commit -q "$base" parley-base >/dev/null
"${build[@]}" rm "$base" >/dev/null
rm -rf "$work/rootfs"

echo "== image"
cache=${CCACHE_DIR:-$HOME/.cache/ccache}
mkdir -p "$cache"
"${build[@]}" bud -q --build-arg BASE=localhost/parley-base --volume "$cache:/ccache" \
  --volume /etc/resolv.conf:/etc/resolv.conf:ro -f docker/Dockerfile -t parley . >"$work/build.log" 2>&1 ||
  { tail -40 "$work/build.log"; exit 1; }

container=$("${build[@]}" from localhost/parley)
root=$("${build[@]}" mount "$container")
echo "image size: $(du -sm --apparent-size "$root" | cut -f1) MiB, of it parley $(du -k "$root/usr/local/bin/parley" | cut -f1) KiB"

echo "== run it, read-only, as the image's user, on a free port"
mkdir "$work/root"
mount --bind "$root" "$work/root"
mount -o remount,bind,ro "$work/root"
uid=$(awk -F: '$1 == "parley" {print $3}' "$root/etc/passwd")
chroot --userspec="$uid:$uid" "$work/root" /usr/bin/env PARLEY_API_KEYS=sk-check /usr/local/bin/parley \
  --config /etc/parley/default.yaml --listen 127.0.0.1:0 >"$work/stdout" 2>"$work/stderr" &
server=$!
for _ in $(seq 100); do
  url=$(sed -n 's/^listening on //p' "$work/stdout")
  [ -n "$url" ] && break
  kill -0 "$server" || { cat "$work/stderr"; exit 1; }
  sleep 0.1  # a poll of the file that the program's ready line goes to
done
node docker/talk.mjs "$url" sk-check
kill -TERM "$server"
wait "$server"
server=""
echo "image: built, talked to, stopped"
