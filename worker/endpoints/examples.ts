/** Bodies and replies of the endpoint that the API's examples are about. */
import { SAMPLE } from '../shapes/sample.ts';

const DESCRIPTION = 'Customers, products and orders of the shop';

/** Body of a create. */
export const CREATE = {
  endpoint: SAMPLE.endpoint,
  kind: 'postgres',
  description: DESCRIPTION,
  config: {
    write_conn: { url: 'postgresql://shop:s3cr3t@db.example.com:5432/shop?sslmode=require' },
    read_conn: { url: 'postgresql://reader:s3cr3t@replica.example.com:5432/shop?sslmode=require' },
  },
  backend_profile: 'production',
  backend_pool_limits: { total_max_connections: 20, production_max_connections: 16 },
};

/** What the create answers, and lists show. */
export const RECORD = {
  id: SAMPLE.endpoint,
  uuid: SAMPLE.endpointUuid,
  kind: 'Postgres',
  created_at: SAMPLE.created,
  backend_profile: 'production',
};

/** Body of a PATCH. */
export const PATCH = {
  config: {
    write_conn: { url: 'postgresql://shop:n3w-s3cr3t@db.example.com:5432/shop?sslmode=require' },
  },
  backend_pool_limits: { development_max_connections: null },
};

/** What the PATCH answers. */
export const UPDATED = {
  id: SAMPLE.endpoint,
  uuid: SAMPLE.endpointUuid,
  kind: 'Postgres',
  updated_at: SAMPLE.changed,
  backend_profile: 'production',
};

/** What a GET answers. */
export const DETAIL = {
  ...RECORD,
  updated_at: SAMPLE.changed,
  description: DESCRIPTION,
  config: {
    write_conn: { url: 'postgresql://***@db.example.com:5432/shop?sslmode=require' },
    read_conn: { url: 'postgresql://***@replica.example.com:5432/shop?sslmode=require' },
  },
  backend_pool_limits: CREATE.backend_pool_limits,
  connection_status: 'available',
  last_connected_at: SAMPLE.now,
  usage: { reads: 18_204, writes: 431, errors: 7 },
};
