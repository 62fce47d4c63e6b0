/** The operations of the data plane, from the request's JSON to the reply's. Source: docs.pinecone.io, "Data plane", version 2026-07. */
import * as z from 'zod';
import { Fault } from './fault.ts';
import {
  DEFAULT_NAMESPACE,
  type Match,
  type VectorIndex,
  type VectorRecord,
} from './vector-index.ts';

const RECORDS_MAX = 1000;
const IDS_MAX = 1000;
const PAGE_MAX = 100;
const METADATA_MAX = 40_960;

const Namespace = z
  .string()
  .default('')
  .transform((name) => (name === '' ? DEFAULT_NAMESPACE : name));
const Values = z.array(z.number());
const SparseValues = z
  .strictObject({ indices: z.array(z.uint32()), values: Values })
  .refine(({ indices, values }) => indices.length === values.length, 'lengths differ');
const Id = z.string().min(1).max(512);
const Metadata = z
  .record(
    z.string(),
    z.union([z.string(), z.number(), z.boolean(), z.array(z.string())], {
      error: 'Metadata value must be a string, number, boolean or list of strings',
    }),
  )
  .refine((metadata) => Buffer.byteLength(JSON.stringify(metadata)) <= METADATA_MAX, {
    error: `metadata size exceeds the limit of ${METADATA_MAX} bytes per vector`,
  });

const Upsert = z.strictObject({
  vectors: z
    .array(
      z.strictObject({
        id: Id,
        values: Values.optional(),
        sparseValues: SparseValues.optional(),
        metadata: Metadata.optional(),
      }),
    )
    .min(1)
    .max(RECORDS_MAX),
  namespace: Namespace,
});
const Query = z.strictObject({
  vector: Values.optional(),
  sparseVector: SparseValues.optional(),
  id: Id.optional(),
  topK: z.int().min(1).max(10_000),
  filter: z.unknown().optional(),
  includeValues: z.boolean().default(false),
  includeMetadata: z.boolean().default(false),
  namespace: Namespace,
});
const Update = z.strictObject({
  id: Id,
  values: Values.optional(),
  sparseValues: SparseValues.optional(),
  setMetadata: Metadata.optional(),
  namespace: Namespace,
});
const Delete = z.strictObject({
  ids: z.array(Id).max(IDS_MAX).optional(),
  deleteAll: z.boolean().default(false),
  filter: z.unknown().optional(),
  namespace: Namespace,
});
const Page = z.strictObject({ after: z.string() });

const usage = { readUnits: 1 };

/** By method and path: what an operation answers. */
export const OPERATIONS: {
  readonly [route: string]: (index: VectorIndex, body: unknown, query: URLSearchParams) => unknown;
} = {
  'POST /vectors/upsert'(index, body) {
    const { vectors, namespace } = read(Upsert, body);
    return { upsertedCount: index.upsert(namespace, vectors) };
  },
  'POST /query'(index, body) {
    const { namespace, includeValues, includeMetadata, ...query } = read(Query, body);
    const given = [query.vector ?? query.sparseVector, query.id].filter(
      (each) => each !== undefined,
    );
    if (given.length !== 1) throw new Fault('Either query vector or ID must be specified');
    const matches = index
      .query(namespace, query)
      .map((match) => told(match, includeValues, includeMetadata));
    return { matches, namespace, usage };
  },
  'GET /vectors/fetch'(index, _, query) {
    const ids = query.getAll('ids');
    if (ids.length === 0) throw new Fault('No IDs provided for fetch query');
    if (ids.length > IDS_MAX) throw new Fault(`at most ${IDS_MAX} ids`);
    const namespace = namespaceIn(query);
    const found = index.fetch(namespace, ids).map((record) => [record.id, whole(record)]);
    return { vectors: Object.fromEntries(found), namespace, usage };
  },
  'GET /vectors/list'(index, _, query) {
    const namespace = namespaceIn(query);
    const limit = Number(query.get('limit') ?? PAGE_MAX);
    if (!Number.isInteger(limit) || limit < 1 || limit > PAGE_MAX) {
      throw new Fault(`limit must be between 1 and ${PAGE_MAX}`);
    }
    const after = afterIn(query.get('paginationToken'));
    const ids = index.ids(namespace, query.get('prefix') ?? '');
    const start =
      after === undefined
        ? 0
        : ids.findIndex((id) => Buffer.compare(Buffer.from(id), Buffer.from(after)) > 0);
    const page = start < 0 ? [] : ids.slice(start, start + limit);
    const last = page.at(-1);
    const more = last !== undefined && last !== ids.at(-1);
    return {
      vectors: page.map((id) => ({ id })),
      ...(more ? { pagination: { next: tokenAfter(last) } } : {}),
      namespace,
      usage,
    };
  },
  'POST /vectors/update'(index, body) {
    const { setMetadata, namespace, ...record } = read(Update, body);
    index.update(namespace, { ...record, metadata: setMetadata });
    return {};
  },
  'POST /vectors/delete'(index, body) {
    const { ids, deleteAll, filter, namespace } = read(Delete, body);
    const ways = [ids !== undefined, deleteAll, filter !== undefined].filter(Boolean);
    if (ways.length !== 1) throw new Fault('exactly one of ids, deleteAll and filter is taken');
    if (ids) index.delete(namespace, ids);
    else if (deleteAll) index.deleteAll(namespace);
    else index.deleteWhere(namespace, filter);
    return {};
  },
  'POST /describe_index_stats'(index) {
    const counts = index.counts();
    const namespaces = counts.map(([name, vectorCount]) => [name, { vectorCount }]);
    return {
      namespaces: Object.fromEntries(namespaces),
      ...(index.dimension === 0 ? {} : { dimension: index.dimension }),
      indexFullness: 0,
      totalVectorCount: counts.reduce((sum, [, count]) => sum + count, 0),
      metric: index.metric,
      vectorType: index.dimension === 0 ? 'sparse' : 'dense',
    };
  },
};

function read<Shape extends z.ZodType>(shape: Shape, body: unknown): z.output<Shape> {
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Fault(`${issue?.path.join('.') ?? 'body'}: ${issue?.message ?? 'not taken'}`);
}

function namespaceIn(query: URLSearchParams): string {
  return query.get('namespace') || DEFAULT_NAMESPACE;
}

function told({ score, ...record }: Match, includeValues: boolean, includeMetadata: boolean) {
  const { id, values = [], sparseValues, metadata } = record;
  return {
    id,
    score,
    values: includeValues ? values : [],
    ...(includeValues && sparseValues ? { sparseValues } : {}),
    ...(includeMetadata && metadata ? { metadata } : {}),
  };
}

function whole({ values = [], ...record }: VectorRecord) {
  return { ...record, values };
}

function tokenAfter(after: string): string {
  return Buffer.from(JSON.stringify({ after })).toString('base64');
}

function afterIn(token: string | null): string | undefined {
  if (token === null || token === '') return undefined;
  try {
    return Page.parse(JSON.parse(Buffer.from(token, 'base64').toString())).after;
  } catch {
    throw new Fault('Failed to decode pagination token');
  }
}
