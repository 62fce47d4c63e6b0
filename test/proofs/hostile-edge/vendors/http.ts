/** Servers that speak HTTP, and indexes of Pinecone, as `hostile-replies` has them for a relay. */
import { http } from '../../../../worker/drivers/edge/http/index.ts';
import { pinecone } from '../../../../worker/drivers/edge/pinecone/index.ts';
import type { HostileKind } from '../../hostile-replies/kind.ts';
import { kind as httpKind } from '../../hostile-replies/kinds/http.ts';
import { kind as pineconeKind } from '../../hostile-replies/kinds/pinecone.ts';
import type { Vendor, VendorCall } from '../vendor.ts';

export const httpVendor: Vendor = vendorOf('http', http, httpKind);
export const pineconeVendor: Vendor = vendorOf('pinecone', pinecone, pineconeKind);

function vendorOf(name: string, driver: Vendor['driver'], kind: HostileKind): Vendor {
  const [first, ...others] = kind.calls.filter(({ fails }) => fails === undefined);
  if (first === undefined) throw new Error('a kind without calls');
  const calls: [VendorCall, ...VendorCall[]] = [first, ...others];
  return {
    name,
    driver,
    calls,
    async start() {
      const { host, port, connection, settings, stop } = await kind.start();
      return { connection: connection(host, port), ...(settings ? { settings } : {}), stop };
    },
  };
}
