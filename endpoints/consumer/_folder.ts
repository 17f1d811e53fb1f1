/** Access of the paths below /consumer, including paths without a class. */
export const access = 'any'
