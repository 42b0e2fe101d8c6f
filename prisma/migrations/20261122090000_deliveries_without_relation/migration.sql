-- Columns that nobody has ever written: deliveries name their send by send_id. Whoever deleted a send paid for them, since
-- the foreign key looked for it in all deliveries, and there is no index.
ALTER TABLE "push_deliveries" DROP CONSTRAINT "push_deliveries_pushSendApplicationId_pushSendId_fkey",
  DROP COLUMN "pushSendApplicationId", DROP COLUMN "pushSendId";
