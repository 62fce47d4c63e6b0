/** Hostile indexes of Pinecone. Source: docs.pinecone.io, "Data plane". */
import { startPinecone } from '../../../stand-ins/pinecone/index.ts';
import { DEFAULT_NAMESPACE } from '../../../stand-ins/pinecone/vector-index.ts';
import { httpFraming } from '../http-framing.ts';
import type { HostileKind, KindCall } from '../kind.ts';

const run = (name: string, request: KindCall['request'], more: Partial<KindCall> = {}) =>
  ({ name, method: 'run', mode: 'read', request, ...more }) satisfies KindCall;

const vectors = Array.from({ length: 20 }, (_, at) => ({
  id: `v${at}`,
  values: [1, at, 2],
  metadata: { name: `item ${at}` },
}));

export const kind: HostileKind = {
  kind: 'pinecone',
  framing: httpFraming,
  calls: [
    run('query', {
      type: 'query',
      body: { vector: [1, 2, 3], topK: 10, includeMetadata: true, includeValues: true },
    }),
    run('fetch', { type: 'fetch', ids: ['v1', 'v2'], namespace: null }),
    run('statistics', { type: 'describe_index_stats' }),
    run('list', { type: 'list', namespace: null, prefix: 'v', limit: 5 }),
    run('upsert', { type: 'upsert', body: { vectors: vectors.slice(0, 3) } }, { mode: 'write' }),
    run(
      'refused',
      { type: 'query', body: { vector: [1, 2], topK: 1 } },
      { fails: 'REQUEST_FAILED' },
    ),
  ],
  async start() {
    const standIn = await startPinecone();
    standIn.index.upsert(DEFAULT_NAMESPACE, vectors);
    const { hostname, port } = new URL(standIn.url);
    return {
      host: hostname,
      port: Number(port),
      connection: (host, at) => ({ url: `http://${host}:${at}` }),
      settings: { api_key: standIn.apiKey },
      stop: () => standIn.stop(),
    };
  },
};
