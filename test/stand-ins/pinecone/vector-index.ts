/** A vector index in memory that searches all its records: exact where the real one is approximate. */
import { Fault } from './fault.ts';
import { compileFilter, type Metadata } from './filter.ts';
import { DESCENDS, type Metric, SCORES, type Sparse, single, sparseDotProduct } from './score.ts';

/** The name of the namespace of no name. */
export const DEFAULT_NAMESPACE = '__default__';

/** A sparse vector on the wire. */
interface SparseValues {
  readonly indices: readonly number[];
  readonly values: readonly number[];
}

/** A record on the wire. */
export interface VectorRecord {
  readonly id: string;
  readonly values?: readonly number[] | undefined;
  readonly sparseValues?: SparseValues | undefined;
  readonly metadata?: Metadata | undefined;
}

/** A record that was found. */
export interface Match extends VectorRecord {
  readonly score: number;
}

/** What is looked for. */
interface Query {
  readonly vector?: readonly number[] | undefined;
  readonly sparseVector?: SparseValues | undefined;
  readonly id?: string | undefined;
  readonly topK: number;
  readonly filter?: unknown;
}

/** An index with its namespaces. */
export class VectorIndex {
  readonly dimension: number;
  readonly metric: Metric;
  readonly #namespaces = new Map<string, Map<string, VectorRecord>>();

  /** @param dimension 0 for an index of sparse vectors alone */
  constructor(dimension: number, metric: Metric) {
    this.dimension = dimension;
    this.metric = metric;
  }

  /** @throws Fault for a record that the index cannot take; then none is written */
  upsert(namespace: string, records: readonly VectorRecord[]): number {
    const kept = records.map((record) => this.#kept(record));
    const own = this.#namespaces.get(namespace) ?? new Map<string, VectorRecord>();
    this.#namespaces.set(namespace, own);
    for (const record of kept) own.set(record.id, record);
    return kept.length;
  }

  /** Of a record that is not there nothing changes. */
  update(namespace: string, { id, metadata, ...vectors }: VectorRecord): void {
    const own = this.#namespaces.get(namespace);
    const before = own?.get(id);
    if (!own || !before) return;
    const given = Object.entries(vectors).filter(([, value]) => value !== undefined);
    const after = { ...before, ...Object.fromEntries(given) };
    const merged = { ...before.metadata, ...metadata };
    own.set(id, this.#kept({ ...after, metadata: merged }));
  }

  fetch(namespace: string, ids: readonly string[]): VectorRecord[] {
    const own = this.#namespaces.get(namespace);
    return ids.flatMap((id) => own?.get(id) ?? []);
  }

  /** The nearest first. */
  query(namespace: string, query: Query): Match[] {
    const passes = query.filter === undefined ? () => true : compileFilter(query.filter);
    const sought = this.#sought(namespace, query);
    if (!sought) return [];
    const candidates = [...(this.#namespaces.get(namespace)?.values() ?? [])]
      .filter(({ metadata }) => passes(metadata ?? {}))
      .map((record) => ({ record, exact: this.#score(sought, record) }));
    const sign = DESCENDS[this.metric] ? -1 : 1;
    return candidates
      .sort((one, other) => sign * (one.exact - other.exact) || byId(one.record, other.record))
      .slice(0, query.topK)
      .map(({ record, exact }) => ({ ...record, score: single(exact) }));
  }

  delete(namespace: string, ids: readonly string[]): void {
    for (const id of ids) this.#namespaces.get(namespace)?.delete(id);
  }

  deleteWhere(namespace: string, filter: unknown): void {
    const passes = compileFilter(filter);
    for (const { id, metadata } of this.#namespaces.get(namespace)?.values() ?? []) {
      if (passes(metadata ?? {})) this.delete(namespace, [id]);
    }
  }

  /** @throws Fault when there is no such namespace */
  deleteAll(namespace: string): void {
    if (!this.#namespaces.delete(namespace)) throw new Fault('Namespace not found', 5, 404);
  }

  /** In the order of their bytes. */
  ids(namespace: string, prefix: string): string[] {
    const own = [...(this.#namespaces.get(namespace)?.values() ?? [])];
    return own
      .toSorted(byId)
      .map(({ id }) => id)
      .filter((id) => id.startsWith(prefix));
  }

  /** Records by namespace. */
  counts(): [namespace: string, count: number][] {
    return [...this.#namespaces].map(([name, own]) => [name, own.size]);
  }

  #sought(namespace: string, { id, vector, sparseVector }: Query): VectorRecord | undefined {
    if (id !== undefined) return this.fetch(namespace, [id])[0];
    if (vector) this.#checkDimension('Query vector', vector);
    // They are stored whatever the metric. Source: docs.pinecone.io, "Known limitations".
    if (sparseVector && this.metric !== 'dotproduct') {
      throw new Fault('Index configuration does not support sparse values');
    }
    return { id: '', values: vector?.map(single), sparseValues: sparseVector };
  }

  #score(sought: VectorRecord, record: VectorRecord): number {
    const dense = SCORES[this.metric](sought.values ?? [], record.values ?? []);
    if (!sought.sparseValues || !record.sparseValues) return dense;
    return dense + sparseDotProduct(placed(sought.sparseValues), placed(record.sparseValues));
  }

  #kept({ id, values, sparseValues, metadata }: VectorRecord): VectorRecord {
    this.#checkDimension('Vector', values ?? []);
    if (values?.every((value) => value === 0) && this.dimension > 0) {
      throw new Fault(
        `Dense vectors must contain at least one non-zero value. Vector ID ${id} contains only zeros.`,
      );
    }
    if (this.dimension === 0 && !sparseValues) throw new Fault('Sparse vector must not be empty');
    return {
      id,
      ...(values ? { values: values.map(single) } : {}),
      ...(sparseValues
        ? { sparseValues: { ...sparseValues, values: sparseValues.values.map(single) } }
        : {}),
      ...(metadata && Object.keys(metadata).length > 0 ? { metadata } : {}),
    };
  }

  #checkDimension(what: string, { length }: readonly number[]): void {
    if (length === this.dimension) return;
    throw new Fault(
      `${what} dimension ${length} does not match the dimension of the index ${this.dimension}`,
    );
  }
}

function placed({ indices, values }: SparseValues): Sparse {
  return new Map(indices.map((at, place) => [at, values[place] ?? 0]));
}

function byId(one: VectorRecord, other: VectorRecord): number {
  return Buffer.compare(Buffer.from(one.id), Buffer.from(other.id));
}
