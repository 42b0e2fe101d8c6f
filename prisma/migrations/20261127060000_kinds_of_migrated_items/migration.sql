-- Unfinished migrations from another server resume with the new names.
UPDATE "migrated_items" SET "kind" = 'listed dialog' WHERE "kind" = 'place';
UPDATE "migrated_items" SET "kind" = 'dialog list' WHERE "kind" = 'asked';
UPDATE "migrations" SET "step" = 'dialog lists' WHERE "step" = 'places';
