#include "CDisk.h"
