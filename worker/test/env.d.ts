/** Bindings of the worker under test: vitest.config.ts gives them. */
declare namespace Cloudflare {
  interface GlobalProps {
    mainModule: typeof import('../index.ts');
  }
  interface Env {
    DB: D1Database;
    PASSWORD_HASHERS: DurableObjectNamespace<import('../auth/hasher-object.ts').PasswordHasher>;
    AUDIT_CHAIN: DurableObjectNamespace<import('../audit/chain.ts').AuditChain>;
    IDEMPOTENCY_KEYS: DurableObjectNamespace<import('../idempotency/keys.ts').IdempotencyKeys>;
    TEMPLATE_RUNS: DurableObjectNamespace<import('../runs/run.ts').TemplateRun>;
    WORKFLOW_RUNS: DurableObjectNamespace<
      import('../workflows/runs/workflow-runs.ts').WorkflowRuns
    >;
    ORGANIZATION_EVENTS: DurableObjectNamespace<import('../events/log.ts').OrganizationEvents>;
    WEBHOOK_DELIVERIES: DurableObjectNamespace<
      import('../deliveries/deliveries.ts').WebhookDeliveries
    >;
    WORKFLOW_SCHEDULES: DurableObjectNamespace<
      import('../schedules/workflow-schedules.ts').WorkflowSchedules
    >;
    DATA_CHANGES: DurableObjectNamespace<import('../data-changes/data-changes.ts').DataChanges>;
    TRANSACTION_LOGS: DurableObjectNamespace<
      import('../transactions/log/transaction-log.ts').TransactionLog
    >;
    RELAY_NODES: DurableObjectNamespace<import('../nodes/relay-node.ts').RelayNode>;
    LIMIT_PASSWORD_BY_ACCOUNT: RateLimit;
    LIMIT_PASSWORD_BY_ADDRESS: RateLimit;
    LIMIT_NEW_BY_ADDRESS: RateLimit;
    LIMIT_NODES_BY_ADDRESS: RateLimit;
    LIMIT_UNSIGNED_BY_ADDRESS: RateLimit;
    LIMIT_STARTS_BY_ADDRESS: RateLimit;
    LIMIT_DELIVERIES: RateLimit;
    LIMIT_BY_USER: RateLimit;
    LIMIT_BY_ORGANIZATION: RateLimit;
    JWT_SECRET: string;
    INSTALLATION_KEY: string;
    GATEWAY_KEY: string;
    GATEWAY_PUBLIC_KEY: string;
    RELAY_NODE_KEY: string;
    RELAY_NODE_PUBLIC_KEY: string;
    MIGRATIONS: import('cloudflare:test').D1Migration[];
  }
}

/** A file's text. */
declare module '*?raw' {
  const content: string;
  // biome-ignore lint/style/noDefaultExport: so does Vite hand a file over.
  export default content;
}
