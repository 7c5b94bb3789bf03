export { RegistryClient, RegistrySync } from '@adcp/sdk';
