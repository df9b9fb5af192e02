#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: tests/package.sh
#
# 'make install' and 'make uninstall', and the Debian packages: built, read by lintian, installed in a new
# Debian 12, used and removed there. TAP.
#
# try() calls the functions.
# shellcheck disable=SC2317
set -euo pipefail
cd "$(dirname "$0")/.."

. tests/tap.bash

# Runs a command: one result.
try() {
	local name=$1 status=0
	shift
	"$@" >"$work/log" 2>&1 || status=$?
	result "$status" "$name" "$work/log"
}

list_files() {
	(cd "$1" && find . ! -type d | sort)
}

# --- make install ---

root=$work/root
make_there() {
	make -s "$@" BUILD="$work/build" DESTDIR="$root" PREFIX=/usr
}

uses_installed() {
	(cd / && "$root/usr/bin/kverbs" --version) >"$work/version" && cat "$work/version"
	# The backend of user space was found, and loaded.
	grep -q '^libibverbs ' "$work/version"
}

has_pages() {
	local command
	for command in $("$root/usr/bin/kverbs" man --list); do
		grep -q '^\.TH ' "$root/usr/share/man/man8/kverbs-$command.8" || return 1
	done
	grep -q '^\.TH ' "$root/usr/share/man/man8/kverbs.8"
}

module_builds() {
	local kernel
	kernel=$(scripts/kernel 6.1) || return 1
	make -s -C "$kernel/build" O="$kernel/build" M="$root/usr/src/kverbs-$version" modules &&
		[[ -f $root/usr/src/kverbs-$version/kverbs.ko ]]
}

version=$(sed -n 's/^#define KVERBS_VERSION "\(.*\)"$/\1/p' uapi/kverbs.h)
try "make install" make_there install
try "make install: the tool runs from there" uses_installed
try "make install: a manual page for each command" has_pages
try "make install: the module's sources are all that a build needs" module_builds
make_there uninstall >"$work/log" 2>&1
list_files "$root" >"$work/left"
try "make uninstall: no file stays" test ! -s "$work/left"

# --- Debian packages ---

skip_packages() {
	echo "ok $((number + 1)) - Debian packages # SKIP $*"
	number=$((number + 1))
	finish
}

((EUID == 0)) || skip_packages "a Debian to install them in takes root"
try "packages: built" scripts/deb
((!failed)) || finish
try "packages: lintian has nothing to say" \
	lintian --allow-root --fail-on error,warning build/deb/*.changes

# shellcheck disable=SC2016 # apt fills it in
mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Identifier: Packages' |
	awk '$1 == "Debian" && $2 == "Debian" { print $3; exit }')
[[ $mirror ]] || skip_packages "apt has no mirror of Debian configured"
debian=$work/debian

# A way to the archive from here is also a way from there.
new_debian() {
	debootstrap --variant=minbase bookworm "$debian" "$mirror" &&
		cp -RL /etc/apt/apt.conf.d/. "$debian/etc/apt/apt.conf.d/" &&
		cp -L /etc/resolv.conf /etc/hosts "$debian/etc/" &&
		cp build/deb/*.deb "$debian/mnt/"
}

# Only what is started there sees the mount.
# shellcheck disable=SC2016 # for the other shell
there() {
	unshare --mount sh -ec 'mount --rbind /proc "$0/proc"; exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"' "$debian" "$@"
}

dkms_built() {
	there dkms status kverbs | tee "$work/status"
	grep -q ': installed$' "$work/status"
}

nothing_left() {
	there sh -c 'find / -xdev -name "*kverbs*" ! -path "/mnt/*" ! -path "/proc/*" ! -path "/var/log/*"' >"$work/left"
	cat "$work/left"
	[[ ! -s $work/left ]]
}

try "packages: a new Debian 12" new_debian
((!failed)) || finish
try "packages: installed there, with what they depend on" there sh -ec 'apt-get -qq update
	apt-get -qq -y --no-install-recommends install linux-headers-amd64 /mnt/kverbs_*.deb /mnt/kverbs-dkms_*.deb'
try "packages: the tool runs there" there sh -c 'kverbs --version | grep "^libibverbs " && kverbs help lat | grep -q usage'
try "packages: DKMS has built the module for the kernel whose headers are there" dkms_built
try "packages: removed" there apt-get -qq -y purge kverbs kverbs-dkms
try "packages: nothing of them stays" nothing_left
finish
