// SPDX-License-Identifier: Apache-2.0

// <joulie/joulie.h> from C++: memory that the library hands out belongs to a unique_ptr.

#include <cstring>
#include <iostream>
#include <memory>

#include <joulie/joulie.h>

int main()
{
    const char text[] = "text: 1536Mi\n";
    char *answer = nullptr;
    joulie_error err = JOULIE_INIT(joulie_error);

    if (joulie_ask("quantity", text, std::strlen(text), nullptr, &answer, &err) != JOULIE_OK) {
        std::cerr << err.where << ": " << err.message << "\n";
        return 1;
    }
    const std::unique_ptr<char, void (*)(void *)> owner(answer, joulie_free);
    std::cout << owner.get() << "\n";
    return 0;
}
