#!/bin/bash
# Installs by apt what tests run on beside Node.js: Redis, Valkey where apt has it, PostgreSQL, Chromium, Python with its venv.
# For Debian and Ubuntu, as root or with sudo; what is there already is not installed, and no server is started.
set -euo pipefail

has_candidate() { apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'; }
# Ubuntu's chromium is a snap in the clothes of a package, which a container cannot run.
is_snap() { apt-cache policy "$1" | grep -q 'Candidate:.*snap'; }

answers() { command -v "$1" >/dev/null && "$1" --version >/dev/null 2>&1; }
has_browser() {
  for name in chromium chromium-headless-shell chromium-browser google-chrome chrome; do
    if answers "$name"; then return 0; fi
  done
  return 1
}

missing=()
has_counter=true
command -v redis-server >/dev/null || command -v valkey-server >/dev/null || has_counter=false
$has_counter || missing+=(redis-server)
compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || command -v postgres >/dev/null || missing+=(postgresql)
python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
needs_browser=false
has_browser || needs_browser=true
if [ ${#missing[@]} -eq 0 ] && ! $needs_browser; then exit 0; fi

command -v apt-get >/dev/null || { echo "no apt-get on this machine" >&2; exit 1; }
if [ "$(id -u)" -ne 0 ]; then exec sudo "$0"; fi
export DEBIAN_FRONTEND=noninteractive
# A container has no service manager to start servers by, and tests start their own on other ports.
export RUNLEVEL=1
apt-get update -qq
if ! $has_counter && has_candidate valkey-server; then missing+=(valkey-server); fi
if $needs_browser; then
  if has_candidate chromium && ! is_snap chromium; then
    missing+=(chromium)
  elif [ "$(dpkg --print-architecture)" = amd64 ]; then
    apt-get install -y -qq --no-install-recommends ca-certificates curl
    chrome="$(mktemp -d)/google-chrome.deb"
    curl -fsSLo "$chrome" https://dl.google.com/linux/direct/google-chrome-stable_current_amd64.deb
    chmod -R a+rX "${chrome%/*}"
    missing+=("$chrome")
  else
    echo "no package of Chromium for this machine" >&2
  fi
fi
if [ ${#missing[@]} -gt 0 ]; then
  echo "▸ installing ${missing[*]}"
  apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi
