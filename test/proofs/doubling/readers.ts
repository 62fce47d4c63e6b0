/** Which files read texts by hand, and why some of them are no subject of the proof. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../../server/bundle.ts';

/** Where a caller's texts and values come. */
const PLACES = ['proto', 'kinds', 'node-relay/drivers', 'worker'];
/** Looks at single characters, or goes through a text by its own steps. */
const READS =
  /charCodeAt\(|codePointAt\(|\.charAt\((?!0)|\.lastIndex\b|\.matchAll\(|indexOf\([^()]*,|\/[gimsu]*y[gimsu]*[;,)]/;
/** Tests, their helpers, and what is generated. */
const ASIDE = /\.test\.ts$|\/test-[^/]*$|\.d\.ts$|\/test\/|\/gen\/|\/differential\/|attacks\.ts$/;
const SOURCE = /\.ts$/;

/** Files that read, and whose reading a caller cannot make long; each with why. */
export const ASIDE_BY_REASON: Readonly<Record<string, string>> = {
  'kinds/redis/grammar.ts': 'reads our own grammar of commands, when it is loaded',
  'proto/parts.ts': 'reads a key of fixed length',
  'proto/node-id.ts': 'reads a digest of fixed length',
  'kinds/json-forms.ts': "reads a server's values once",
  'kinds/redis/dialect/messages.ts': "reads a server's lines, each bounded by the decoder",
  'node-relay/drivers/clickhouse/integer-runs.ts': "reads a server's reply once",
  'node-relay/drivers/clickhouse/escapes.ts': "reads a server's reply once",
  'node-relay/drivers/clickhouse/long-strings.ts': "reads a server's reply once",
  'node-relay/drivers/clickhouse/open-field.ts': "reads a server's reply once",
  'node-relay/drivers/clickhouse/reply.ts': "reads a server's reply once",
  'node-relay/drivers/clickhouse/rows.ts': "reads a server's rows once",
  'node-relay/drivers/clickhouse/strings.ts': "reads a server's rows once",
  'node-relay/drivers/mongo/check-bson.ts': "reads a server's bytes once",
  'node-relay/drivers/mongo/bson-writer.ts': "reads a server's bytes once",
  'node-relay/drivers/mysql/changes/columns.ts': "reads a server's bytes once",
  'node-relay/drivers/postgres/changes/messages.ts': "reads a server's bytes once",
  'node-relay/drivers/postgres/backend-messages.ts': "reads a server's bytes once",
  'node-relay/drivers/redis/contract-case.ts': 'is of the tests',
  'node-relay/drivers/redis/decode.ts': "reads a server's bytes once",
  'node-relay/drivers/redis/test/direct-client.ts': 'speaks to servers of tests',
  'node-relay/drivers/redis/once-name.ts': 'looks for two bytes in a key, in one pass',
  'node-relay/drivers/redis/settings.ts':
    'reads a connection, which the body of an endpoint bounds',
  'worker/access/api-keys/form.ts': 'writes digits of a number of fixed length',
  'worker/auth/hasher.ts': 'reads what the gateway wrote',
  'worker/language/expressions/builtins/array.ts': 'is charged for its time: the proof charges',
  'worker/language/expressions/builtins/json.ts': 'is charged for its time: the proof charges',
  'worker/language/expressions/builtins/replace.ts': 'is charged for its time: the proof charges',
  'worker/language/expressions/builtins/search.ts': 'is charged for its time: the proof charges',
  'worker/language/expressions/builtins/text.ts': 'is charged for its time: the proof charges',
  'worker/language/expressions/exact.ts': 'is charged for its time: the proof charges',
  'worker/language/expressions/members.ts': 'is charged for its time: the proof charges',
  'worker/http/request-log.ts': 'looks for two slashes at the beginning of a URL',
  'worker/openapi/links.ts': 'reads the paths of our own routes',
  'worker/templates/transformation/transformers': 'is charged for its time: the proof charges',
  'worker/grants/check.ts': 'looks for one comma in the name of a resource',
  'worker/facades/upstash/scripts.ts': 'looks for a digest that the server has just told',
  'worker/facades/upstash/events.ts': 'reads our own events once',
  'worker/idempotency/location.ts': 'reads a digest of fixed length',
  'worker/secrets/seal.ts': 'reads what the gateway wrote',
  'worker/events/pattern.ts':
    'looks for parts of a pattern in a name, both of at most 255 characters',
  'worker/facades/hooks/delivery.ts': 'counts the fields of a form in one pass',
  'worker/facades/hooks/schemes.ts': 'reads signatures, whose length is bounded before',
  'worker/workflows/body.ts': 'writes random letters',
  'worker/calls/transactions/names.ts': 'writes random letters',
  'worker/calls/transactions/certain-reads.ts':
    'looks only at statements of at most 4096 characters',
  'worker/workflows/engine/paths.ts': 'looks at one character of a path of ours',
  'worker/workflows/runs/vault.ts': 'looks at the last character of each part of a text',
  'worker/workflows/runs/names.ts': 'reads a token once, which is as long as a path may be',
  'worker/drivers/edge/upstash/events.ts': "reads a server's events once",
  'worker/drivers/edge/planetscale/columns.ts': "reads a server's rows once",
  'worker/drivers/edge/neon/parser.ts': 'hands texts to the parser that the relay has, too',
};

/** Files that read texts by hand. */
export async function readers(): Promise<string[]> {
  const found: string[] = [];
  for (const place of PLACES) {
    for (const each of await readdir(join(ROOT, place), { recursive: true })) {
      const file = `${place}/${each}`;
      if (!SOURCE.test(file) || ASIDE.test(file)) continue;
      if (READS.test(await readFile(join(ROOT, file), 'utf8'))) found.push(file);
    }
  }
  return found.sort();
}
