/** Loads the import of logins when it is opened. */
import { lazyPart } from '../parts/lazy.tsx'

export const ImportClients = lazyPart(
  'import-clients',
  async () => (await import('./import-clients.tsx')).ImportClients,
)
