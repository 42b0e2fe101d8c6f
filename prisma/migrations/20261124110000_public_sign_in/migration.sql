-- Off, because servers that sign may check visitors before they sign.
ALTER TABLE "applications" ADD COLUMN "public_sign_in" BOOLEAN NOT NULL DEFAULT false;
