/** The suite of every driver, of kind redis, through a tunnel. */
import { describeDriver } from '../drivers/contract.ts';
import { redisContract } from '../drivers/redis/contract-case.ts';
import { throughTunnel } from './test/driver.ts';

describeDriver(...throughTunnel('redis', redisContract));
