-- The prompt library: prompts, chains and skills of several users, each seeing only their own.

CREATE TABLE categories (
  id          TEXT PRIMARY KEY,
  parent_id   TEXT REFERENCES categories (id) ON DELETE CASCADE,
  owner_id    TEXT,                        -- null: shared by all
  name        TEXT NOT NULL,
  description TEXT,
  position    INTEGER NOT NULL DEFAULT 0,
  CHECK (parent_id IS NOT NULL OR owner_id IS NULL)
);
CREATE INDEX categories_by_parent ON categories (parent_id, owner_id);

CREATE TABLE prompts (
  number            INTEGER PRIMARY KEY,   -- what the full-text index refers to
  id                TEXT NOT NULL UNIQUE,
  owner_id          TEXT NOT NULL,
  title             TEXT NOT NULL CHECK (length(title) BETWEEN 1 AND 300),
  content_type      TEXT NOT NULL DEFAULT 'single' CHECK (content_type IN ('single', 'chain', 'skill')),
  text              TEXT,
  skill_description TEXT,
  when_to_use       TEXT,
  category_id       TEXT NOT NULL REFERENCES categories (id),
  subcategory_id    TEXT REFERENCES categories (id) ON DELETE SET NULL,
  model             TEXT,
  visibility        TEXT NOT NULL DEFAULT 'private' CHECK (visibility IN ('private', 'published')),
  created_at        TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  updated_at        TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);
CREATE INDEX prompts_by_owner ON prompts (owner_id, updated_at DESC);

CREATE TABLE steps (
  prompt_id TEXT NOT NULL REFERENCES prompts (id) ON DELETE CASCADE,
  position  INTEGER NOT NULL,
  title     TEXT,
  text      TEXT NOT NULL,
  PRIMARY KEY (prompt_id, position)
) WITHOUT ROWID;

CREATE TABLE labels (
  prompt_id TEXT NOT NULL REFERENCES prompts (id) ON DELETE CASCADE,
  label     TEXT NOT NULL CHECK (length(label) BETWEEN 1 AND 50),
  PRIMARY KEY (prompt_id, label)
) WITHOUT ROWID;
CREATE INDEX labels_by_label ON labels (label, prompt_id);

CREATE VIRTUAL TABLE prompts_fts USING fts5 (
  title, text, skill_description,
  content = 'prompts', content_rowid = 'number', tokenize = 'porter unicode61'
);
CREATE TRIGGER prompts_after_insert AFTER INSERT ON prompts BEGIN
  INSERT INTO prompts_fts (rowid, title, text, skill_description)
  VALUES (new.number, new.title, new.text, new.skill_description);
END;
CREATE TRIGGER prompts_after_delete AFTER DELETE ON prompts BEGIN
  INSERT INTO prompts_fts (prompts_fts, rowid, title, text, skill_description)
  VALUES ('delete', old.number, old.title, old.text, old.skill_description);
END;
CREATE TRIGGER prompts_after_update AFTER UPDATE OF title, text, skill_description ON prompts BEGIN
  INSERT INTO prompts_fts (prompts_fts, rowid, title, text, skill_description)
  VALUES ('delete', old.number, old.title, old.text, old.skill_description);
  INSERT INTO prompts_fts (rowid, title, text, skill_description)
  VALUES (new.number, new.title, new.text, new.skill_description);
END;
