/** What the proof `hostile-edge` has to know of a backend that the edge itself reaches. */
import type { Json } from '../../../proto/json.ts';
import type { EdgeDriver } from '../../../worker/drivers/edge/driver.ts';

/** A request whose replies are recorded, and then changed. */
export interface VendorCall {
  readonly name: string;
  readonly mode: 'read' | 'write';
  readonly request: Json;
}

/** A server in place of the vendor's. */
export interface VendorServer {
  readonly connection: Json;
  readonly settings?: { readonly [member: string]: Json };
  stop(): Promise<void>;
}

/** One of them. */
export interface Vendor {
  readonly name: string;
  readonly driver: EdgeDriver<never>;
  readonly calls: readonly [VendorCall, ...VendorCall[]];
  /** Within a test run. */
  start(): Promise<VendorServer>;
}
