/** Calls of operations on transactions that honour an `Idempotency-Key`, each with what makes its body. */

/** By method and path of the operation. */
export const TRANSACTION_SAMPLES = {
  'POST /transactions': () => [
    {
      path: '/transactions',
      body: () => ({ operations: [{ endpoint: 'cache', type: 'get', key: 'a' }] }),
    },
  ],
  'POST /transactions/:transaction/resolve': () => [
    {
      path: '/transactions/4kTz0QmX8sVb2RcN6wYdJp/resolve',
      body: () => ({ participant: 'cache', outcome: 'committed' }),
    },
  ],
};
