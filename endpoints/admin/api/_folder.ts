/** Access of the paths below /admin/api, also of those that nothing answers. Classes that change something name MAN alone. */
export const access = ['MAN', 'READER']
