/** An order of the shop that the API's examples are about, as the JSON utilities take and answer it. */

/** A document. */
export const DOCUMENT = {
  customer: { name: 'Chiyo', city: 'Lisbon' },
  lines: [
    { sku: 'swan-1', quantity: 2 },
    { sku: 'swan-7', quantity: 1 },
  ],
};

/** The same, flattened. */
export const FLAT = {
  'customer.name': 'Chiyo',
  'customer.city': 'Lisbon',
  'lines[0].sku': 'swan-1',
  'lines[0].quantity': 2,
  'lines[1].sku': 'swan-7',
  'lines[1].quantity': 1,
};

/** Paths in several notations, and what they find. */
export const PATHS = ['customer.name', '/lines/0/sku', '$.lines[*].quantity'];
export const PARSED = {
  'customer.name': 'Chiyo',
  '/lines/0/sku': 'swan-1',
  "$['lines'][0]['quantity']": 2,
  "$['lines'][1]['quantity']": 1,
};
export const REDUCED = {
  customer: { name: 'Chiyo' },
  lines: [{ sku: 'swan-1', quantity: 2 }, { quantity: 1 }],
};

/** A mapping, and what it makes. */
export const MAPPING = {
  schema: { buyer: 'string', skus: ['string'] },
  mappings: { 'customer.name': 'buyer', 'lines/../sku': 'skus' },
};
export const MAPPED = { buyer: 'Chiyo', skus: ['swan-1', 'swan-7'] };
