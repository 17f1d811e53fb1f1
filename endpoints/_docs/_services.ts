/** Gives the handlers of this tree the API description. The tree needs no broker. */
import type { UsesOwn } from '../../src/services.ts'

export const open = ({ describe }: UsesOwn<'describe'>): UsesOwn<'describe'> => ({ describe })
