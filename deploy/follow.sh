# Copies the server named by the argument into the empty data folder of this one, which then starts as its standby.
set -e
[ -f "$PGDATA/backup_manifest" ] && exit # copied before
chmod 700 "$PGDATA"
PGPASSWORD=$POSTGRES_PASSWORD pg_basebackup --host="$1" --username="$POSTGRES_USER" --pgdata="$PGDATA" \
  --write-recovery-conf --checkpoint=fast
