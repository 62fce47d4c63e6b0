/** Where drizzle-kit finds the tables and writes migrations. */
import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: [
    './worker/db/schema.ts',
    './worker/db/audit.ts',
    './worker/db/keys.ts',
    './worker/db/nodes.ts',
    './worker/db/storage.ts',
    './worker/db/tasks.ts',
    './worker/db/templates.ts',
    './worker/db/workflows.ts',
  ],
  out: './migrations',
});
