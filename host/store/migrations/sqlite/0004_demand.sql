-- Takeovers, capacity booked, meters that run.

ALTER TABLE resources ADD COLUMN adoption TEXT;
ALTER TABLE resources ADD COLUMN demand TEXT NOT NULL DEFAULT '{"bookings":{},"meters":{}}';
ALTER TABLE resources ADD COLUMN held TEXT NOT NULL DEFAULT '{}';
ALTER TABLE resources ADD COLUMN metering TEXT;
