/** What clients of a PostgreSQL endpoint send and get, for the API's description. */
import * as z from 'zod';
import type { KindShapes } from '../../kind.ts';
import { patchOf } from '../../members.ts';
import { Results, Value } from '../../results.ts';
import { SqlResult, SqlRow } from '../../sql.ts';
import { PostgresConfig } from '../config.ts';
import { BareQuery, PostgresRequest, Query, QueryTyped } from '../request.ts';

/** What `copy_in` answers. */
const CopiedIn = z
  .object({
    rows_affected: z
      .int()
      .min(0)
      .meta({ description: 'Rows that were written', examples: [2] }),
  })
  .meta({
    id: 'CopiedIn',
    description: 'What `copy_in` answers',
    examples: [{ rows_affected: 2 }],
  });

/** The longer form of a request. Contract §6: `{request: {…}}`. */
function wrapped(id: string, request: z.ZodType) {
  return z.strictObject({ request: request.meta({ description: 'The request itself' }) }).meta({
    id,
    description: 'A request in a member of its own',
    examples: [{ request: { query: 'SELECT count(*) FROM orders' } }],
  });
}

/** Every form of a request, and of what it answers. Contract §6. */
export const shapes: KindShapes = {
  configPatch: patchOf(PostgresConfig).meta({
    id: 'PostgresConfigPatch',
    description:
      'Changes of a configuration: a connection that is given replaces the whole one, null removes a member',
    examples: [{ write_conn: { url: 'postgresql://shop:n3w-s3cr3t@db.example.com:5432/shop' } }],
  }),
  body: z
    .union([
      PostgresRequest,
      BareQuery,
      wrapped('PostgresWrappedRequest', z.union([PostgresRequest, BareQuery])),
    ])
    .meta({
      id: 'PostgresBody',
      description: 'A request to a PostgreSQL endpoint, in any of its forms',
    }),
  results: [SqlResult, Results, CopiedIn, Value],
  line: SqlRow,
  operation: z
    .union([
      Query,
      QueryTyped,
      BareQuery,
      wrapped('PostgresWrappedOperation', z.union([Query, QueryTyped, BareQuery])),
    ])
    .meta({ id: 'PostgresOperation', description: 'One statement of a transaction' }),
  outcomes: [SqlResult],
};
