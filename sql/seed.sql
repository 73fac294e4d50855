-- Categories shared by all, sub-categories of two users, and their prompts, chains and skills.

INSERT INTO categories (id, parent_id, owner_id, name, description, position) VALUES
  ('f3b05ce9-770e-541d-92d1-6d3e073572e8', NULL, NULL, 'Writing', 'Texts for people: mails, posts, pages.', 1),
  ('ef59169a-295a-5fb8-ac51-ebb6adab7e63', 'f3b05ce9-770e-541d-92d1-6d3e073572e8', NULL, 'Email', NULL, 1),
  ('d9e46026-7f92-5b67-bad3-fed5332b3026', 'f3b05ce9-770e-541d-92d1-6d3e073572e8', NULL, 'Blog posts', NULL, 2),
  ('5ca72a8c-3fa5-53de-94c4-edee3007a7bc', 'f3b05ce9-770e-541d-92d1-6d3e073572e8', NULL, 'Social media', NULL, 3),
  ('8e504df9-d492-54a2-b299-484fb82e36ed', NULL, NULL, 'Code', 'Programs: writing, reviewing, explaining them.', 2),
  ('4660552e-e737-5c49-9a99-1022228abfdd', '8e504df9-d492-54a2-b299-484fb82e36ed', NULL, 'Review', NULL, 1),
  ('fd4e58b5-3c3a-534d-8eb7-6a845752a8a5', '8e504df9-d492-54a2-b299-484fb82e36ed', NULL, 'Testing', NULL, 2),
  ('177cbcf8-9f0d-5e77-b4c3-b226c1fc98d6', '8e504df9-d492-54a2-b299-484fb82e36ed', NULL, 'Refactoring', NULL, 3),
  ('ce44d296-85e7-59bc-824a-a64922b3b429', NULL, NULL, 'Analysis', 'Data, documents, decisions.', 3),
  ('81362aa2-8da4-5d2a-9119-62841cb56b8e', 'ce44d296-85e7-59bc-824a-a64922b3b429', NULL, 'SQL', NULL, 1),
  ('5b8c9470-c30c-5c33-97c1-55f5a9102c31', 'ce44d296-85e7-59bc-824a-a64922b3b429', NULL, 'Summaries', NULL, 2),
  ('f01ee6cf-3c85-5eb9-8459-cd46a43dfa5d', NULL, NULL, 'Marketing', 'Campaigns, positioning, search.', 4),
  ('20513fe0-6740-55f0-8220-8e7eb723b4a3', 'f01ee6cf-3c85-5eb9-8459-cd46a43dfa5d', NULL, 'Ads', NULL, 1),
  ('0e3860a9-cfbc-533a-9e04-71f831c5d5c5', 'f01ee6cf-3c85-5eb9-8459-cd46a43dfa5d', NULL, 'Search', NULL, 2),
  ('876e4a26-8733-5a2d-9024-24d9431bdefa', NULL, NULL, 'Learning', 'Understanding and teaching.', 5),
  ('89da6c93-137c-53f7-8298-eb5fff1d53e1', '876e4a26-8733-5a2d-9024-24d9431bdefa', NULL, 'Explanations', NULL, 1),
  ('a1426304-0f78-5f50-9452-c279f62b0710', '876e4a26-8733-5a2d-9024-24d9431bdefa', NULL, 'Exercises', NULL, 2),
  ('edffbe72-b063-548d-b280-a22ac98a69d3', NULL, NULL, 'Operations', 'Running teams and services.', 6),
  ('fda5d4e6-609b-59cd-8273-d48722604b8a', 'edffbe72-b063-548d-b280-a22ac98a69d3', NULL, 'Incidents', NULL, 1),
  ('04aad2f2-c2c4-5865-bbaf-176a3df86299', 'edffbe72-b063-548d-b280-a22ac98a69d3', NULL, 'Hiring', NULL, 2),
  ('b4665445-edd2-515d-ab1f-c0ceda6c3f66', 'f3b05ce9-770e-541d-92d1-6d3e073572e8', 'demo', 'Newsletter', NULL, 100),
  ('0d1083f7-61ed-5edb-bc30-7d7e1859f939', '8e504df9-d492-54a2-b299-484fb82e36ed', 'demo', 'Our backend', NULL, 100),
  ('2c4bf8bf-e4cf-53ba-a0a4-bebca6045637', 'f3b05ce9-770e-541d-92d1-6d3e073572e8', 'sam', 'Sam''s drafts', NULL, 100);

INSERT INTO prompts (id, owner_id, title, content_type, text, skill_description, when_to_use, category_id, subcategory_id, model, visibility, created_at, updated_at) VALUES
  ('5b58b410-fa40-5567-9bcc-1527c00b54cb', 'demo', 'Cold email to a first customer', 'single', 'Write a cold email to {{name}}, {{role}} at {{company}}. One sentence on what they did lately, one on the problem that we solve for teams like theirs, one question that can be answered with yes or no. Under 90 words, no adjectives, no attachment.', NULL, NULL, 'f3b05ce9-770e-541d-92d1-6d3e073572e8', 'ef59169a-295a-5fb8-ac51-ebb6adab7e63', 'claude-opus', 'published', '2026-01-01T09:00:00Z', '2026-01-01T09:00:00Z'),
  ('b287e868-45e9-5b26-ad0a-66122e1b3646', 'demo', 'Follow-up after no answer', 'single', 'Write a follow-up to the email below, sent {{days}} days ago without an answer. Add one new fact, do not repeat the pitch, offer an easy way out. Under 60 words.

{{email}}', NULL, NULL, 'f3b05ce9-770e-541d-92d1-6d3e073572e8', 'ef59169a-295a-5fb8-ac51-ebb6adab7e63', NULL, 'private', '2026-01-02T09:01:00Z', '2026-01-02T09:01:00Z'),
  ('4b55a528-1105-506c-8da9-117144f43295', 'demo', 'Apology for a late delivery', 'single', 'Write an apology to a customer whose order {{order}} is late by {{days}} days. Say what happened without blaming anyone, what we do now, and when they will hear from us again. No voucher unless I name one.', NULL, NULL, 'f3b05ce9-770e-541d-92d1-6d3e073572e8', 'ef59169a-295a-5fb8-ac51-ebb6adab7e63', NULL, 'private', '2026-01-03T09:02:00Z', '2026-01-03T09:02:00Z'),
  ('6a8ae929-32ec-57b4-9e25-6f087cdb4976', 'demo', 'Blog post outline', 'single', 'Outline a blog post on {{topic}} for {{reader}}. Give a working title, the one thing the reader shall remember, five sections with a question each that the section answers, and three facts that need a source.', NULL, NULL, 'f3b05ce9-770e-541d-92d1-6d3e073572e8', 'd9e46026-7f92-5b67-bad3-fed5332b3026', NULL, 'published', '2026-01-04T09:03:00Z', '2026-01-04T09:03:00Z'),
  ('3fd086c7-5145-509b-abdd-14d454684b9d', 'demo', 'Cut a text by a third', 'single', 'Cut the text below by a third. Keep every fact and every number. Prefer deleting sentences to shortening them. Show only the result.

{{text}}', NULL, NULL, 'f3b05ce9-770e-541d-92d1-6d3e073572e8', NULL, NULL, 'private', '2026-01-05T09:04:00Z', '2026-01-05T09:04:00Z'),
  ('3bf8e413-c032-51bd-9ad8-2789afdfacf1', 'demo', 'Release notes from commits', 'single', 'Turn the commit subjects below into release notes for users. Group them as Added, Changed, Fixed. Leave out what no user can see. One line each, past tense.

{{commits}}', NULL, NULL, 'f3b05ce9-770e-541d-92d1-6d3e073572e8', 'b4665445-edd2-515d-ab1f-c0ceda6c3f66', 'claude-sonnet', 'private', '2026-01-06T09:05:00Z', '2026-01-06T09:05:00Z'),
  ('2ff74eb4-c7ba-56e4-848f-4fe2b5c3287b', 'demo', 'Thread from an article', 'single', 'Turn the article below into a thread of at most seven posts of 280 characters. The first one must stand alone. No hashtags, no emoji.

{{article}}', NULL, NULL, 'f3b05ce9-770e-541d-92d1-6d3e073572e8', '5ca72a8c-3fa5-53de-94c4-edee3007a7bc', NULL, 'private', '2026-01-07T09:06:00Z', '2026-01-07T09:06:00Z'),
  ('58fad2fe-7f4e-5e71-86b0-6489a67bb152', 'demo', 'Review a pull request', 'single', 'Review the diff below as a careful colleague. List faults that would hurt in production first, each with the line and a way to mend it; then questions; then matters of taste, at most three. Say so if you find nothing.

{{diff}}', NULL, NULL, '8e504df9-d492-54a2-b299-484fb82e36ed', '4660552e-e737-5c49-9a99-1022228abfdd', 'claude-opus', 'published', '2026-01-08T09:07:00Z', '2026-01-08T09:07:00Z'),
  ('861b7ddc-d7b3-5b61-9625-c0c05cdd1b48', 'demo', 'Explain a stack trace', 'single', 'Explain the stack trace below to someone who does not know the code base: what failed, where it was caused as opposed to where it showed, and the two most likely reasons. Then name what to look at first.

{{trace}}', NULL, NULL, '8e504df9-d492-54a2-b299-484fb82e36ed', NULL, NULL, 'private', '2026-01-09T09:08:00Z', '2026-01-09T09:08:00Z'),
  ('fdd9cd97-1a0d-547a-89d1-7968a5660509', 'demo', 'Unit tests for a function', 'single', 'Write unit tests for the function below with {{framework}}. One behaviour a test, the name says the outcome. Cover the edges: empty, one, many, wrong type, the largest value. Do not test the language.

{{code}}', NULL, NULL, '8e504df9-d492-54a2-b299-484fb82e36ed', 'fd4e58b5-3c3a-534d-8eb7-6a845752a8a5', NULL, 'published', '2026-01-10T09:09:00Z', '2026-01-10T09:09:00Z'),
  ('9bbb269b-ac28-5ee2-aece-56bc645eee0c', 'demo', 'Property tests for a parser', 'single', 'Name five properties that the parser below must keep for every input, then write them as property tests with hypothesis. Include one that compares with a simple reference.

{{code}}', NULL, NULL, '8e504df9-d492-54a2-b299-484fb82e36ed', 'fd4e58b5-3c3a-534d-8eb7-6a845752a8a5', NULL, 'private', '2026-01-11T09:10:00Z', '2026-01-11T09:10:00Z'),
  ('b43f9929-2b37-5e81-a884-47368a84face', 'demo', 'Rename for clarity', 'single', 'Propose better names for the identifiers below. Give old, new and the reason in one line each. Leave alone what is already clear.

{{code}}', NULL, NULL, '8e504df9-d492-54a2-b299-484fb82e36ed', '177cbcf8-9f0d-5e77-b4c3-b226c1fc98d6', NULL, 'private', '2026-01-12T09:11:00Z', '2026-01-12T09:11:00Z'),
  ('da1cc552-9341-59bb-9d49-2804f5de1ebb', 'demo', 'Split a long function', 'single', 'Split the function below into smaller ones. Keep its behaviour, keep its signature, name each piece by what it returns. Show the result, then say what you were unsure of.

{{code}}', NULL, NULL, '8e504df9-d492-54a2-b299-484fb82e36ed', '177cbcf8-9f0d-5e77-b4c3-b226c1fc98d6', NULL, 'private', '2026-01-13T09:12:00Z', '2026-01-13T09:12:00Z'),
  ('5d87beb0-ae41-51ea-be72-93b53af6b3d2', 'demo', 'Commit message', 'single', 'Write a commit message for the diff below: a subject of at most 60 characters in the imperative, an empty line, then why the change was made and what was considered instead. No list of files.

{{diff}}', NULL, NULL, '8e504df9-d492-54a2-b299-484fb82e36ed', '0d1083f7-61ed-5edb-bc30-7d7e1859f939', NULL, 'private', '2026-01-14T09:13:00Z', '2026-01-14T09:13:00Z'),
  ('d989d0ba-61bc-58a1-bcfc-e8637257c8dd', 'demo', 'Question to SQL', 'single', 'Given the schema below, write one SQL query for {{dialect}} that answers the question. Name the columns for a reader, limit to 100 rows, and state each assumption in a comment.

Schema:
{{schema}}

Question: {{question}}', NULL, NULL, 'ce44d296-85e7-59bc-824a-a64922b3b429', '81362aa2-8da4-5d2a-9119-62841cb56b8e', 'claude-sonnet', 'published', '2026-01-15T09:14:00Z', '2026-01-15T09:14:00Z'),
  ('6c13f454-b9bc-5fde-831e-cb9648228665', 'demo', 'Why is this query slow', 'single', 'Read the query and its plan. Say in two sentences where the time goes, then propose at most three changes in the order of gain over effort, with the index definitions written out.

{{query}}

{{plan}}', NULL, NULL, 'ce44d296-85e7-59bc-824a-a64922b3b429', '81362aa2-8da4-5d2a-9119-62841cb56b8e', NULL, 'private', '2026-01-16T09:15:00Z', '2026-01-16T09:15:00Z'),
  ('01693b80-2176-52df-85ea-8c1b49fbda5f', 'demo', 'Summary for a busy reader', 'single', 'Summarise the document below in five sentences for someone who must decide on {{decision}}. The first sentence is the recommendation that the document supports. Mark what the document does not say.

{{document}}', NULL, NULL, 'ce44d296-85e7-59bc-824a-a64922b3b429', '5b8c9470-c30c-5c33-97c1-55f5a9102c31', NULL, 'published', '2026-01-17T09:16:00Z', '2026-01-17T09:16:00Z'),
  ('5eeeb929-2a02-5151-9281-8e9bbdf5fd20', 'demo', 'Minutes from a transcript', 'single', 'Write minutes from the transcript below: decisions with who decided, actions with who and until when, open questions. Leave out everything else. Do not guess names.

{{transcript}}', NULL, NULL, 'ce44d296-85e7-59bc-824a-a64922b3b429', '5b8c9470-c30c-5c33-97c1-55f5a9102c31', NULL, 'private', '2026-01-18T09:17:00Z', '2026-01-18T09:17:00Z'),
  ('bc844a69-9ab0-5a90-8372-08062caa1019', 'demo', 'Compare two offers', 'single', 'Compare the two offers below in a table of criteria that matter for {{purpose}}. Then name the one criterion that decides, and what would have to change for the other to win.

{{first}}

{{second}}', NULL, NULL, 'ce44d296-85e7-59bc-824a-a64922b3b429', NULL, NULL, 'private', '2026-01-19T09:18:00Z', '2026-01-19T09:18:00Z'),
  ('e2d21d40-d844-5939-9ea2-b6d853952a17', 'demo', 'Positioning statement', 'single', 'Write a positioning statement for {{product}}: for whom, their need, what it is, the one benefit, unlike which alternative, and why to believe it. Give three versions that differ in the alternative.', NULL, NULL, 'f01ee6cf-3c85-5eb9-8459-cd46a43dfa5d', NULL, NULL, 'private', '2026-01-20T09:19:00Z', '2026-01-20T09:19:00Z'),
  ('48b1d1b6-23ce-51a8-b83e-79e17ae2a08c', 'demo', 'Ad variations', 'single', 'Write eight variations of a search ad for {{product}}: headline of at most 30 characters, two lines of at most 90. Each tries another reason to click; name the reason in brackets.', NULL, NULL, 'f01ee6cf-3c85-5eb9-8459-cd46a43dfa5d', '20513fe0-6740-55f0-8220-8e7eb723b4a3', NULL, 'private', '2026-01-21T09:20:00Z', '2026-01-21T09:20:00Z'),
  ('c3b53d33-6f4e-5bc2-b37e-9f9546cf23e1', 'demo', 'Search intent of a keyword', 'single', 'For each keyword below say what the searcher wants to have done a minute later, which kind of page serves that, and the question its first paragraph must answer.

{{keywords}}', NULL, NULL, 'f01ee6cf-3c85-5eb9-8459-cd46a43dfa5d', '0e3860a9-cfbc-533a-9e04-71f831c5d5c5', NULL, 'private', '2026-01-22T09:21:00Z', '2026-01-22T09:21:00Z'),
  ('b744e3ca-a6c8-5e25-b4cc-5d01bf119780', 'demo', 'Explain like to a new colleague', 'single', 'Explain {{concept}} to a new colleague who knows {{known}}. Begin with a problem it solves, then the idea in three sentences, then a worked example with real numbers, then where the comparison breaks down.', NULL, NULL, '876e4a26-8733-5a2d-9024-24d9431bdefa', '89da6c93-137c-53f7-8298-eb5fff1d53e1', NULL, 'published', '2026-01-23T09:22:00Z', '2026-01-23T09:22:00Z'),
  ('22d453aa-d7a6-5622-875c-3bdc703acda4', 'demo', 'Quiz on a chapter', 'single', 'Write six questions on the chapter below: two to recall, two to apply, two to judge. Give the answers after all questions, each with the sentence of the chapter that supports it.

{{chapter}}', NULL, NULL, '876e4a26-8733-5a2d-9024-24d9431bdefa', 'a1426304-0f78-5f50-9452-c279f62b0710', NULL, 'private', '2026-01-24T09:23:00Z', '2026-01-24T09:23:00Z'),
  ('154d00ac-bc2a-533e-8b28-3bd096e3cebe', 'demo', 'Interview questions for a role', 'single', 'Write eight interview questions for {{role}}. Each asks for something that the candidate did, not for an opinion; with each, what a strong and a weak answer sound like.', NULL, NULL, 'edffbe72-b063-548d-b280-a22ac98a69d3', '04aad2f2-c2c4-5865-bbaf-176a3df86299', NULL, 'private', '2026-01-25T09:24:00Z', '2026-01-25T09:24:00Z'),
  ('bf5121ba-9060-5872-9f8d-cb79423ad65e', 'demo', 'Article from an idea', 'chain', NULL, NULL, NULL, 'f3b05ce9-770e-541d-92d1-6d3e073572e8', 'd9e46026-7f92-5b67-bad3-fed5332b3026', 'claude-opus', 'private', '2026-01-26T09:25:00Z', '2026-01-26T09:25:00Z'),
  ('966ce954-62de-541d-9f04-cc7fd1e8a12d', 'demo', 'Bug to fix', 'chain', NULL, NULL, NULL, '8e504df9-d492-54a2-b299-484fb82e36ed', '4660552e-e737-5c49-9a99-1022228abfdd', NULL, 'published', '2026-01-27T09:26:00Z', '2026-01-27T09:26:00Z'),
  ('d99ed686-db8f-5e9e-b6a7-fb53026b0bbb', 'demo', 'Dataset first look', 'chain', NULL, NULL, NULL, 'ce44d296-85e7-59bc-824a-a64922b3b429', '81362aa2-8da4-5d2a-9119-62841cb56b8e', NULL, 'private', '2026-01-28T09:27:00Z', '2026-01-28T09:27:00Z'),
  ('76f8567d-ba35-540f-8fef-68b1e81c962e', 'demo', 'Campaign from a feature', 'chain', NULL, NULL, NULL, 'f01ee6cf-3c85-5eb9-8459-cd46a43dfa5d', NULL, NULL, 'private', '2026-02-01T09:28:00Z', '2026-02-01T09:28:00Z'),
  ('463c012c-2387-5034-8b4e-ac389ed8f3a7', 'demo', 'Incident writer', 'skill', '1. Ask for the timeline, the customers affected and the state of the fix, if they are not given.
2. Write the status update: what users see, since when, what we do, when the next update comes. At most 80 words, no internal names.
3. After the end write the review: facts in order, the cause as a chain of whys, what went well, actions with an owner and a date.
4. Never name a person as the cause.', 'Writes status updates and reviews of incidents.', 'When a service is down or was down and people must be told.', 'edffbe72-b063-548d-b280-a22ac98a69d3', 'fda5d4e6-609b-59cd-8273-d48722604b8a', NULL, 'published', '2026-02-02T09:29:00Z', '2026-02-02T09:29:00Z'),
  ('0de036f0-b669-56a1-9fdf-b29c9268fb66', 'demo', 'SQL reviewer', 'skill', '1. Read the schema before the query.
2. Check joins for rows that multiply, conditions for nulls, dates for the zone.
3. Check that every value from outside is a parameter.
4. Propose indexes only with the plan at hand.
5. Answer with a list: fault, why, mend. The worst first.', 'Reviews SQL for correctness, safety and speed.', 'When a query is about to run on data that matters.', 'ce44d296-85e7-59bc-824a-a64922b3b429', '81362aa2-8da4-5d2a-9119-62841cb56b8e', NULL, 'private', '2026-02-03T09:30:00Z', '2026-02-03T09:30:00Z'),
  ('94278c21-cd48-5fd1-b171-338e00850e6f', 'demo', 'Plain language editor', 'skill', '1. Keep the meaning; if a sentence has two, ask.
2. One idea a sentence, at most 20 words, verbs instead of nouns.
3. Replace words that need a dictionary; keep the terms of the field and explain each once.
4. Return the text and a list of what you were unsure of.', 'Rewrites texts so that they are understood at the first reading.', 'When a text is for readers who are in a hurry or read in a second language.', 'f3b05ce9-770e-541d-92d1-6d3e073572e8', NULL, NULL, 'published', '2026-02-04T09:31:00Z', '2026-02-04T09:31:00Z'),
  ('cb9731da-ded5-5ec1-a5b1-80c89aa0bd04', 'sam', 'Cold email, Sam''s version', 'single', 'Write a cold email to {{name}}. Be brief and funny.', NULL, NULL, 'f3b05ce9-770e-541d-92d1-6d3e073572e8', '2c4bf8bf-e4cf-53ba-a0a4-bebca6045637', NULL, 'published', '2026-02-05T09:32:00Z', '2026-02-05T09:32:00Z'),
  ('e1e218bc-0679-5a94-b715-fdb058c2467d', 'sam', 'Haiku about a deploy', 'single', 'Write a haiku about the deploy described below.

{{deploy}}', NULL, NULL, 'f3b05ce9-770e-541d-92d1-6d3e073572e8', NULL, NULL, 'private', '2026-02-06T09:33:00Z', '2026-02-06T09:33:00Z'),
  ('c7dc80b5-9f5b-5fb3-84e1-e9abebd40add', 'sam', 'Trip planner', 'chain', NULL, NULL, NULL, '876e4a26-8733-5a2d-9024-24d9431bdefa', NULL, NULL, 'private', '2026-02-07T09:34:00Z', '2026-02-07T09:34:00Z'),
  ('2a70e7c0-7b2d-54da-b4ca-7f15f3f2ebd0', 'sam', 'Sam''s standup notes', 'skill', 'Turn the notes into yesterday, today, blocked. Three lines.', 'Writes standup notes.', 'Every morning.', 'edffbe72-b063-548d-b280-a22ac98a69d3', NULL, NULL, 'private', '2026-02-08T09:35:00Z', '2026-02-08T09:35:00Z');

INSERT INTO steps (prompt_id, position, title, text) VALUES
  ('bf5121ba-9060-5872-9f8d-cb79423ad65e', 1, 'Angle', 'Name three angles on {{idea}} that a reader of {{publication}} has not seen. Recommend one.'),
  ('bf5121ba-9060-5872-9f8d-cb79423ad65e', 2, 'Outline', 'Outline the article for the recommended angle: a title, five sections, the evidence each needs.'),
  ('bf5121ba-9060-5872-9f8d-cb79423ad65e', 3, 'Draft', 'Write the article from the outline, 900 words, plain words, no introduction about the times we live in.'),
  ('bf5121ba-9060-5872-9f8d-cb79423ad65e', 4, 'Edit', 'Cut the draft by a fifth, check every claim against the evidence listed, and mark what is unsupported.'),
  ('966ce954-62de-541d-9f04-cc7fd1e8a12d', 1, 'Reproduce', 'From the report below write the smallest program or test that shows the fault.

{{report}}'),
  ('966ce954-62de-541d-9f04-cc7fd1e8a12d', 2, 'Cause', 'Explain the cause: the line, the wrong assumption, since when it is so.'),
  ('966ce954-62de-541d-9f04-cc7fd1e8a12d', 3, 'Mend', 'Write the change, and the test that would have caught it. Then look for the same kind of fault elsewhere.'),
  ('d99ed686-db8f-5e9e-b6a7-fb53026b0bbb', 1, 'Profile', 'For each column of {{table}}: type, share of nulls, distinct values, smallest and largest value. As one query.'),
  ('d99ed686-db8f-5e9e-b6a7-fb53026b0bbb', 2, 'Oddities', 'From the profile name the five values that are most likely wrong, and how to check each.'),
  ('d99ed686-db8f-5e9e-b6a7-fb53026b0bbb', 3, 'Questions', 'Name ten questions that this table can answer and three that it only seems to answer.'),
  ('76f8567d-ba35-540f-8fef-68b1e81c962e', 1, NULL, 'Say in one sentence what {{feature}} changes for the user.'),
  ('76f8567d-ba35-540f-8fef-68b1e81c962e', 2, NULL, 'Turn that into a mail, a post and a paragraph for the product page.'),
  ('76f8567d-ba35-540f-8fef-68b1e81c962e', 3, NULL, 'Check the three texts against each other: the same promise, the same name, no number that differs.'),
  ('c7dc80b5-9f5b-5fb3-84e1-e9abebd40add', 1, 'Ask', 'Ask five questions on what makes a trip good for {{traveller}}.'),
  ('c7dc80b5-9f5b-5fb3-84e1-e9abebd40add', 2, 'Plan', 'Plan three days from the answers, with one thing to skip if it rains.');

INSERT INTO labels (prompt_id, label) VALUES
  ('5b58b410-fa40-5567-9bcc-1527c00b54cb', 'email'),
  ('5b58b410-fa40-5567-9bcc-1527c00b54cb', 'sales'),
  ('b287e868-45e9-5b26-ad0a-66122e1b3646', 'email'),
  ('b287e868-45e9-5b26-ad0a-66122e1b3646', 'sales'),
  ('4b55a528-1105-506c-8da9-117144f43295', 'email'),
  ('4b55a528-1105-506c-8da9-117144f43295', 'support'),
  ('6a8ae929-32ec-57b4-9e25-6f087cdb4976', 'blog'),
  ('3fd086c7-5145-509b-abdd-14d454684b9d', 'editing'),
  ('3bf8e413-c032-51bd-9ad8-2789afdfacf1', 'editing'),
  ('3bf8e413-c032-51bd-9ad8-2789afdfacf1', 'release'),
  ('2ff74eb4-c7ba-56e4-848f-4fe2b5c3287b', 'social'),
  ('58fad2fe-7f4e-5e71-86b0-6489a67bb152', 'review'),
  ('861b7ddc-d7b3-5b61-9625-c0c05cdd1b48', 'debugging'),
  ('fdd9cd97-1a0d-547a-89d1-7968a5660509', 'testing'),
  ('9bbb269b-ac28-5ee2-aece-56bc645eee0c', 'parser'),
  ('9bbb269b-ac28-5ee2-aece-56bc645eee0c', 'testing'),
  ('b43f9929-2b37-5e81-a884-47368a84face', 'refactoring'),
  ('da1cc552-9341-59bb-9d49-2804f5de1ebb', 'refactoring'),
  ('5d87beb0-ae41-51ea-be72-93b53af6b3d2', 'git'),
  ('d989d0ba-61bc-58a1-bcfc-e8637257c8dd', 'sql'),
  ('6c13f454-b9bc-5fde-831e-cb9648228665', 'performance'),
  ('6c13f454-b9bc-5fde-831e-cb9648228665', 'sql'),
  ('01693b80-2176-52df-85ea-8c1b49fbda5f', 'summary'),
  ('5eeeb929-2a02-5151-9281-8e9bbdf5fd20', 'meeting'),
  ('5eeeb929-2a02-5151-9281-8e9bbdf5fd20', 'summary'),
  ('bc844a69-9ab0-5a90-8372-08062caa1019', 'decision'),
  ('e2d21d40-d844-5939-9ea2-b6d853952a17', 'positioning'),
  ('48b1d1b6-23ce-51a8-b83e-79e17ae2a08c', 'ads'),
  ('c3b53d33-6f4e-5bc2-b37e-9f9546cf23e1', 'seo'),
  ('b744e3ca-a6c8-5e25-b4cc-5d01bf119780', 'explanation'),
  ('22d453aa-d7a6-5622-875c-3bdc703acda4', 'quiz'),
  ('154d00ac-bc2a-533e-8b28-3bd096e3cebe', 'hiring'),
  ('bf5121ba-9060-5872-9f8d-cb79423ad65e', 'blog'),
  ('bf5121ba-9060-5872-9f8d-cb79423ad65e', 'editing'),
  ('966ce954-62de-541d-9f04-cc7fd1e8a12d', 'debugging'),
  ('d99ed686-db8f-5e9e-b6a7-fb53026b0bbb', 'data'),
  ('d99ed686-db8f-5e9e-b6a7-fb53026b0bbb', 'sql'),
  ('76f8567d-ba35-540f-8fef-68b1e81c962e', 'launch'),
  ('463c012c-2387-5034-8b4e-ac389ed8f3a7', 'incident'),
  ('0de036f0-b669-56a1-9fdf-b29c9268fb66', 'review'),
  ('0de036f0-b669-56a1-9fdf-b29c9268fb66', 'sql'),
  ('94278c21-cd48-5fd1-b171-338e00850e6f', 'editing'),
  ('cb9731da-ded5-5ec1-a5b1-80c89aa0bd04', 'email'),
  ('e1e218bc-0679-5a94-b715-fdb058c2467d', 'fun'),
  ('c7dc80b5-9f5b-5fb3-84e1-e9abebd40add', 'travel'),
  ('2a70e7c0-7b2d-54da-b4ca-7f15f3f2ebd0', 'meeting');
