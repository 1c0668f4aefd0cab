#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the tests in a minimal Debian system to which only Git and Node are added, as on a new user's machine. Task: ./build.sh test-bare.
# Tests the commit HEAD, without uncommitted changes. Needs Debian, root, mmdebstrap, half an hour, and 5 GB in FOLDER. Removes FOLDER if
# COMMAND succeeds.
#
#     sh tests/bare.sh FOLDER [COMMAND, default npm test]
#
# The minimal system gets only three things from the host: Node, the Debian mirror that apt is configured for, and the network settings
# (resolv.conf and, if set, the certificates in NODE_EXTRA_CA_CERTS).
set -eu
cd "$(dirname "$0")/.."
root=$1 command=${2:-npm test}

[ "$(id -u)" = 0 ] || { echo 'bare.sh: a root of its own needs root' >&2; exit 1; }
[ ! -e "$root" ] || rm -rf --one-file-system "$root"
mkdir -p "$root"
root=$(cd "$root" && pwd)

release=$(. /etc/os-release && echo "$VERSION_CODENAME")
apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
  mmdebstrap --quiet --variant=minbase --include=git "$release" "$root" -
cp -L /etc/resolv.conf "$root/etc/"
apt-config dump --no-empty | grep -i 'proxy' >"$root/etc/apt/apt.conf.d/proxy" || rm "$root/etc/apt/apt.conf.d/proxy"

node=$(node -p process.execPath) npm=$(dirname "$(dirname "$(realpath "$(command -v npm)")")")
mkdir -p "$root/usr/local/bin" "$root/usr/local/lib/node_modules"
cp -L "$node" "$root/usr/local/bin/node"
cp -RL "$npm" "$root/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
certificates=
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
  cp -L "$NODE_EXTRA_CA_CERTS" "$root/etc/node-extra.pem"
  certificates=NODE_EXTRA_CA_CERTS=/etc/node-extra.pem
fi
git clone --quiet --no-hardlinks . "$root/nextpixel"

# The mounts disappear when the namespace ends.
unshare --mount --pid --fork --kill-child sh -euc '
  root=$1 command=$2 certificates=$3
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount --rbind /sys "$root/sys"
  exec chroot "$root" /usr/bin/env -i HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin $certificates \
    sh -c "cd /nextpixel && $command"
' bare "$root" "$command" "$certificates"
rm -rf --one-file-system "$root"
