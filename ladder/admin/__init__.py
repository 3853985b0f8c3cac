"""Use cases of admins: repairs, audits, moderation, backups and retention."""
