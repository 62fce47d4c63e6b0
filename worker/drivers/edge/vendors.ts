/** Hosts of vendors whose HTTP protocols the edge speaks. Contract §6, "Edge or relay". */

const VENDORS = ['.neon.tech', '.psdb.cloud', '.upstash.io', '.pinecone.io'];

/** Whether a host, in its one spelling, is one of theirs. */
export function isVendors(host: string): boolean {
  return VENDORS.some((each) => host.endsWith(each));
}
