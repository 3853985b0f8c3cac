#!/bin/bash
# Starts like the official image: the database is created by a server that listens on its socket
# alone, then the real one listens to the network.
set -e
if [ "$(id -u)" = 0 ]; then
    mkdir -p "$PGDATA" /var/run/postgresql
    chown -R postgres "$PGDATA" /var/run/postgresql
    chmod 700 "$PGDATA"
    exec setpriv --reuid=postgres --regid=postgres --init-groups "$0"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    # shellcheck disable=SC2086
    initdb --username="$POSTGRES_USER" --pwfile=<(printf '%s\n' "$POSTGRES_PASSWORD") \
        $POSTGRES_INITDB_ARGS >/dev/null
    echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
    pg_ctl -D "$PGDATA" -o "-c listen_addresses=''" -w start >/dev/null
    createdb --username "$POSTGRES_USER" --no-password "${POSTGRES_DB:-$POSTGRES_USER}"
    pg_ctl -D "$PGDATA" -m fast -w stop >/dev/null
fi
exec postgres -c listen_addresses='*'
