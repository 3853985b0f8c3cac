#!/bin/sh
# Makes the certificates of a cluster: an authority, and a certificate for each machine named.
# Usage: setup/cluster-keys.sh FOLDER NAME…; give each machine its NAME.pem, its NAME.key and ca.pem.
# Keep ca.key off all of them: it lets anybody add machines.
set -eu
folder=$1
shift
umask 077
mkdir -p "$folder"
cd "$folder"
if [ ! -f ca.key ]; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 \
        -subj "/CN=Evoladder cluster" -keyout ca.key -out ca.pem 2>/dev/null
fi
for name in "$@"; do
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
        -subj "/CN=$name" -keyout "$name.key" -out "$name.csr" 2>/dev/null
    openssl x509 -req -in "$name.csr" -CA ca.pem -CAkey ca.key -CAcreateserial \
        -days 3650 -out "$name.pem" 2>/dev/null
    rm "$name.csr"
done
