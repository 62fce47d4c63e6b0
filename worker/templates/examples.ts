/** The templates that examples of the description are about. */
import { SAMPLE } from '../shapes/sample.ts';

/** A transformation: an order's lines and their sum. */
export const CREATE = {
  name: 'Order summary',
  description: 'What an order comes to, with tax',
  version: '1.0.0',
  inputSchema: { type: 'object', required: ['customer', 'items'] },
  transformationRules: [
    { target: 'customer', source: 'customer.name', transformers: ['trim', 'capitalize'] },
    {
      forEach: { array: 'items', as: 'item' },
      target: 'lines',
      rules: [
        { target: 'sku', source: 'item.sku' },
        { target: 'amount', expression: 'amount(item)' },
      ],
    },
    {
      target: 'total',
      expression: 'items.reduce((sum, item) => sum + amount(item), 0) * (1 + parameters.rate)',
    },
  ],
  functions: { amount: '(item) => item.price * item.quantity' },
  parameters: { rate: { type: 'number', default: 0.19 } },
} as const;

/** Data access: one of the orders. */
export const CREATE_ACCESS = {
  id: 'order-by-id',
  name: 'Order by id',
  description: 'One order of the shop',
  request: 'Read',
  template: {
    endpoint: SAMPLE.endpoint,
    query: 'SELECT id, status FROM orders WHERE id = {{id: Number}}',
  },
} as const;

/** A template as it is told. */
export const DETAIL = {
  id: SAMPLE.template,
  ...CREATE,
  uuid: SAMPLE.templateUuid,
  created: SAMPLE.created,
  createdBy: SAMPLE.ada,
  lastModified: SAMPLE.created,
  lastModifiedBy: SAMPLE.ada,
  usage: { directReferences: 0, invocationsLast30Days: 120, averageProcessingTime: 2 },
  versions: [{ version: '1.0.0', created: SAMPLE.created, active: true }],
};

/** A change of the description alone. */
export const PATCH = { description: 'What an order comes to, with all taxes' };

/** How a run of the transformation would go. */
export const RENDERED = {
  success: true,
  processingTimeMs: 0,
  fuel: 61,
  inputValidation: { valid: true },
  output: { customer: 'Ada' },
  transformationSteps: [
    {
      rule: 'customer',
      input: ' ada ',
      transformations: [
        { name: 'trim', output: 'ada' },
        { name: 'capitalize', output: 'Ada' },
      ],
    },
  ],
  outputValidation: { valid: true },
};
