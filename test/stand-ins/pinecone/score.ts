/** How near two vectors are, by the metrics that an index can have. Source: docs.pinecone.io, "Similarity metrics". */

/** What an index measures by. */
export type Metric = 'cosine' | 'dotproduct' | 'euclidean';

/** Components that are not 0 by their places. */
export type Sparse = ReadonlyMap<number, number>;

/** Sum of the products of the components. */
function dotProduct(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

/** The same of sparse vectors. */
export function sparseDotProduct(one: Sparse, other: Sparse): number {
  return [...one].reduce((sum, [at, value]) => sum + value * (other.get(at) ?? 0), 0);
}

/** Cosine of the angle between two vectors, neither of which is 0. */
function cosine(one: readonly number[], other: readonly number[]): number {
  return dotProduct(one, other) / Math.sqrt(dotProduct(one, one) * dotProduct(other, other));
}

/** Square of the distance: the index takes no root. */
function squaredDistance(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, at) => sum + (value - (other[at] ?? 0)) ** 2, 0);
}

/** The score that the index reports two dense vectors. */
export const SCORES: Readonly<
  Record<Metric, (one: readonly number[], other: readonly number[]) => number>
> = { cosine, dotproduct: dotProduct, euclidean: squaredDistance };

/** Whether a greater score is nearer. */
export const DESCENDS: Readonly<Record<Metric, boolean>> = {
  cosine: true,
  dotproduct: true,
  euclidean: false,
};

/** A number as an index keeps it, in 32 bits, with as few digits as name it. */
export function single(value: number): number {
  const kept = Math.fround(value);
  for (let digits = 1; digits < 9; digits += 1) {
    const short = Number(kept.toPrecision(digits));
    if (Math.fround(short) === kept) return short;
  }
  return Number(kept.toPrecision(9));
}
