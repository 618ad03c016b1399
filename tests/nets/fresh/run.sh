#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The README's two commands on a bare Debian 12: sudo tests/nets/fresh/run.sh [MIRROR]
#
# Makes a root with debootstrap in a temporary folder, copies the tracked files of the checkout (and new ones that git does
# not ignore) into it, runs ./dev demo and ./dev test there, and removes the folder. KEEP=1 keeps it.
set -euo pipefail
checkout=$(readlink -f "$(dirname "$(readlink -f "$0")")/../../..")
mirror=${1:-} # empty: the one that debootstrap knows

[ "$(id -u)" -eq 0 ] || {
    echo "fresh: debootstrap and chroot need root" >&2
    exit 2
}
command -v debootstrap >/dev/null || apt-get install -y -q --no-install-recommends debootstrap

root=$(mktemp -d)
mounted=()

clean_up() {
    local place
    for place in "${mounted[@]}"; do
        umount --lazy "$place" || echo "fresh: $place is still mounted" >&2
    done
    if [ -n "${KEEP:-}" ]; then
        echo "fresh: kept $root"
    elif grep -q " $root/" /proc/mounts; then
        echo "fresh: something is still mounted below $root; not removed" >&2
    else
        rm -rf --one-file-system "$root"
    fi
}
trap clean_up EXIT

echo "fresh: making a bare Debian 12 in $root"
debootstrap --variant=minbase bookworm "$root" ${mirror:+"$mirror"} >"$root.log" 2>&1 || {
    tail -n 30 "$root.log" >&2
    exit 1
}
rm -f "$root.log"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc" && mounted+=("$root/proc")
mount --bind /dev "$root/dev" && mounted+=("$root/dev")
mount --bind /dev/pts "$root/dev/pts" && mounted=("$root/dev/pts" "${mounted[@]}")

mkdir "$root/checkout"
git -C "$checkout" ls-files -z --cached --others --exclude-standard |
    (cd "$checkout" && while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done) |
    tar -C "$checkout" --null --files-from=- --create | tar -C "$root/checkout" --extract --no-same-owner

inside() {
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} ${CI:+CI="$CI"} \
        chroot "$root" bash -c "cd /checkout && $1"
}

for command in "./dev demo" "./dev test"; do
    echo "fresh: $command"
    start=$SECONDS
    inside "$command"
    echo "fresh: $command took $((SECONDS - start)) s"
done
