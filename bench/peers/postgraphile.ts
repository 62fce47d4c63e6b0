/** PostGraphile: a row by a GraphQL query, for anyone. */
import { join } from 'node:path';
import { freePort } from '../../server/ports.ts';
import { installed } from './installed.ts';
import { type Peer, startPeer } from './peer.ts';

const VERSION = '5.1.5';
const QUERY = 'query($id: Int!) { productByRowId(rowId: $id) { rowId name price createdAt } }';

/** Starts it on a database that holds the table. */
export async function startPostgraphile(url: string): Promise<Peer> {
  const folder = await installed('postgraphile', VERSION);
  const port = await freePort('127.0.0.1');
  const program = join(folder, 'node_modules/.bin/postgraphile');
  const where = ['-c', url, '-s', 'public', '-n', '127.0.0.1', '-p', String(port)];
  return startPeer({
    name: 'PostGraphile',
    folder,
    args: [program, '-P', 'postgraphile/presets/amber', ...where],
    request: {
      port,
      path: '/graphql',
      headers: {},
      body: JSON.stringify({ query: QUERY, variables: { id: 42 } }),
    },
  });
}
