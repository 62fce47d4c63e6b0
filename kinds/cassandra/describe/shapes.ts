/** What clients of a Cassandra endpoint send and get, for the API's description. */
import * as z from 'zod';
import type { KindShapes } from '../../kind.ts';
import { patchOf } from '../../members.ts';
import { SAMPLE_RESULT, SqlResult, SqlRow } from '../../sql.ts';
import { CassandraConfig } from '../config.ts';
import { BareQuery, CassandraRequest, Operation } from '../request.ts';

/** What the server recorded of a statement. */
const Trace = z
  .object({
    id: z.uuid().meta({ description: "The session's, in `system_traces`" }),
    duration_us: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'Microseconds on the server; null where they are not known yet' }),
    events: z
      .array(
        z.object({
          activity: z.string().meta({ description: 'What was done' }),
          elapsed_us: z.int().nullable().meta({ description: 'Microseconds since the beginning' }),
          thread: z.string().nullable().meta({ description: 'Who did it' }),
        }),
      )
      .meta({ description: 'In their order; empty where the role may not read them' }),
  })
  .meta({
    id: 'CassandraTrace',
    description: 'What the server recorded of a statement',
    examples: [{ id: '2f0c8a10-e6f1-11f0-9f0c-3f1d1a2b3c4d', duration_us: 912, events: [] }],
  });

const shared = {
  applied: z
    .boolean()
    .optional()
    .meta({
      description: 'Whether the condition (`IF …`) held; absent for statements without one',
      examples: [true],
    }),
  warnings: z
    .array(z.string())
    .optional()
    .meta({
      description: 'What the server warned of; absent where it did not',
      examples: [['Aggregation query used without partition key']],
    }),
  trace: Trace.optional().meta({ description: 'For `tracing: true`' }),
};

/** What one statement or batch answers. */
const Result = SqlResult.omit({ rows_affected: true })
  .extend({
    paging_state: z
      .string()
      .nullable()
      .optional()
      .meta({
        description:
          'To go on after this page; null after the last; absent where all rows were asked for',
        examples: ['q83vEjRWeJA'],
      }),
    ...shared,
  })
  .meta({
    id: 'CassandraResult',
    description: 'What one statement or batch answered',
    examples: [
      { ...SAMPLE_RESULT, paging_state: 'q83vEjRWeJA' },
      { columns: [], rows: [], row_count: 0 },
    ],
  });

/** The longer form of a request. Contract §6: `{request: {…}}`. */
function wrapped(id: string, request: z.ZodType) {
  return z.strictObject({ request: request.meta({ description: 'The request itself' }) }).meta({
    id,
    description: 'A request in a member of its own',
    examples: [{ request: { query: "DELETE FROM carts WHERE id = 'c1'" } }],
  });
}

/** Every form of a request, and of what it answers. Contract §6. */
export const shapes: KindShapes = {
  configPatch: patchOf(CassandraConfig).meta({
    id: 'CassandraConfigPatch',
    description:
      'Changes of a configuration: a connection that is given replaces the whole one, null removes a member',
    examples: [{ write_conn: { url: 'cassandra://shop:n3w-s3cr3t@cassandra.example.com/shop' } }],
  }),
  body: z
    .union([
      CassandraRequest,
      BareQuery,
      wrapped('CassandraWrappedRequest', z.union([CassandraRequest, BareQuery])),
    ])
    .meta({
      id: 'CassandraBody',
      description: 'A request to a Cassandra endpoint, in any of its forms',
    }),
  result: Result,
  line: SqlRow,
  operation: z
    .union([Operation, wrapped('CassandraWrappedOperation', Operation)])
    .meta({ id: 'CassandraOperation', description: 'One change of a transaction' }),
  outcome: Result,
};
