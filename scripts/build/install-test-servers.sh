#!/bin/bash
# Installs missing programs that tests need: servers and readers by apt, a browser, and Python packages by pip. With --night also Java.
# For Debian and Ubuntu, as root or with sudo.
set -euo pipefail

candidate() { apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: //p'; }
# Ubuntu's chromium is a snap, which a container cannot run.
is_package() { case "$(candidate "$1")" in '' | '(none)' | *snap*) return 1 ;; esac; }

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
command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || missing+=(nginx-light)
command -v soffice >/dev/null || command -v libreoffice >/dev/null || missing+=(libreoffice-calc-nogui)
command -v pdftotext >/dev/null || missing+=(poppler-utils)
python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
command -v hledger >/dev/null || missing+=(hledger)
command -v curl >/dev/null || missing+=(curl ca-certificates)
{ command -v promtool && command -v prometheus; } >/dev/null || missing+=(prometheus)
if [ "${1:-}" = --night ]; then command -v java >/dev/null || missing+=(default-jre-headless); fi
# Python packages that read exported files, and an S3 server.
readers="$(dirname "$0")/../../.cache/readers"
has_readers() { "$readers/bin/python3" -c 'import bittytax, beancount, deltalake, duckdb, duckdb_cli, duckdb_extension_httpfs, polars, pandas, fsspec, aiohttp, moto, flask, flask_cors, py_partiql_parser' 2>/dev/null; }
install_readers() {
  has_readers && return
  echo "▸ installing readers of exported files and tables, and an S3 server"
  python3 -m venv "$readers"
  "$readers/bin/pip" install --quiet --disable-pip-version-check BittyTax==0.6.0 beancount==3.2.3 \
    deltalake==1.6.6 duckdb==1.5.5 duckdb-cli==1.5.5 duckdb-extension-httpfs==1.5.5 polars==2.1.0 pandas==3.1.1 pyarrow==26.0.1 \
    fsspec==2026.9.0 aiohttp==3.14.5 'moto[s3]==5.2.5' flask==3.1.3 flask-cors==6.0.5
}
needs_browser=false
has_browser || needs_browser=true
if [ ${#missing[@]} -eq 0 ] && ! $needs_browser; then
  install_readers
  exit 0
fi

command -v apt-get >/dev/null || { echo "no apt-get on this machine" >&2; exit 1; }
if [ "$(id -u)" -ne 0 ]; then exec sudo "$0" "$@"; fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
if ! $has_counter && is_package valkey-server; then missing+=(valkey-server); fi
if $needs_browser && is_package chromium; then
  missing+=(chromium)
  needs_browser=false
fi
if [ ${#missing[@]} -gt 0 ]; then
  echo "▸ installing ${missing[*]}"
  apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi
if $needs_browser; then
  [ "$(dpkg --print-architecture)" = amd64 ] || { echo "no package of Chromium for this machine" >&2; exit 1; }
  echo "▸ installing Google Chrome, as there is no package of Chromium"
  apt-get install -y -qq --no-install-recommends ca-certificates curl
  folder="$(mktemp -d)"
  curl -fsSLo "$folder/chrome.deb" https://dl.google.com/linux/direct/google-chrome-stable_current_amd64.deb
  chmod -R a+rX "$folder"
  apt-get install -y -qq --no-install-recommends "$folder/chrome.deb"
  rm -r "$folder"
fi
install_readers
