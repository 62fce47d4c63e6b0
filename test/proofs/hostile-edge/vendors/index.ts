/** The backends that the edge reaches by itself. */
import type { Vendor } from '../vendor.ts';
import { neonVendor, planetScaleVendor, upstashVendor } from './databases.ts';
import { httpVendor, pineconeVendor } from './http.ts';

export const VENDORS: readonly Vendor[] = [
  neonVendor,
  planetScaleVendor,
  upstashVendor,
  httpVendor,
  pineconeVendor,
];
