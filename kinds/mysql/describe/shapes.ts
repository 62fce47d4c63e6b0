/** What clients of a MySQL endpoint send and get, for the API's description. */
import * as z from 'zod';
import type { KindShapes } from '../../kind.ts';
import { patchOf } from '../../members.ts';
import { Results } from '../../results.ts';
import { SqlResult, SqlRow } from '../../sql.ts';
import { MysqlConfig } from '../config.ts';
import { BareQuery, NamedRequest, Query, SqlQuery, SqlSimple } from '../request.ts';

/** The longer form of a request. Contract §6: `{request: {…}}`. */
function wrapped(id: string, request: z.ZodType) {
  return z.strictObject({ request: request.meta({ description: 'The request itself' }) }).meta({
    id,
    description: 'A request in a member of its own',
    examples: [{ request: { query: 'SELECT count(*) FROM orders' } }],
  });
}

const requests = [NamedRequest, BareQuery, SqlQuery, SqlSimple] as const;
const operations = [Query, BareQuery, SqlQuery] as const;

/** Every form of a request, and of what it answers. Contract §6. */
export const shapes: KindShapes = {
  configPatch: patchOf(MysqlConfig).meta({
    id: 'MysqlConfigPatch',
    description:
      'Changes of a configuration: a connection that is given replaces the whole one, null removes a member',
    examples: [{ write_conn: { url: 'mysql://shop:n3w-s3cr3t@db.example.com:3306/shop' } }],
  }),
  body: z.union([...requests, wrapped('MysqlWrappedRequest', z.union(requests))]).meta({
    id: 'MysqlBody',
    description: 'A request to a MySQL endpoint, in any of its forms',
  }),
  results: [SqlResult, Results],
  line: SqlRow,
  operation: z.union([...operations, wrapped('MysqlWrappedOperation', z.union(operations))]).meta({
    id: 'MysqlOperation',
    description: 'One statement of a transaction',
  }),
  outcomes: [SqlResult],
};
