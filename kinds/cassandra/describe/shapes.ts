/** What clients of a Cassandra endpoint send and get, for the API's description. */
import * as z from 'zod';
import type { KindShapes } from '../../kind.ts';
import { patchOf } from '../../members.ts';
import { SqlResult, SqlRow } from '../../sql.ts';
import { CassandraConfig } from '../config.ts';
import { BareQuery, CassandraRequest, Operation } from '../request.ts';

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
  results: [SqlResult],
  line: SqlRow,
  operation: z
    .union([Operation, wrapped('CassandraWrappedOperation', Operation)])
    .meta({ id: 'CassandraOperation', description: 'One change of a transaction' }),
  outcomes: [SqlResult],
};
