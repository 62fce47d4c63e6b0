/** The suite of every driver, of kind cassandra, through a tunnel. */

import { cassandraContract } from '../drivers/cassandra/contract-case.ts';
import { describeDriver } from '../drivers/contract.ts';
import { throughTunnel } from './test/driver.ts';

describeDriver(...throughTunnel('cassandra', cassandraContract));
