/** Access of the paths below /consumer, also of those that nothing answers. */
export const access = 'any'
