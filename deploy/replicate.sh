# Prepares a primary for a synchronous standby, from its next start. The image runs it when it creates the database.
set -e
# A role of its own would protect nothing, because a standby has all data and the same environment.
echo "host replication $POSTGRES_USER all scram-sha-256" >> "$PGDATA/pg_hba.conf"
psql --username="$POSTGRES_USER" --dbname=postgres --set=ON_ERROR_STOP=1 <<'SQL'
ALTER SYSTEM SET wal_keep_size = '1GB';
ALTER SYSTEM SET synchronous_standby_names = '*';
SQL
